package tooltest_test

import (
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/parts"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A callback belongs to the part of the callback that queued it.
func TestParts(t *testing.T) {
	l := tooltest.New(tooltest.WithChooser(func(int) int { return 0 }))
	p := parts.Of(l)
	queue := func() { _, _ = l.Immediate(func() { _, _ = l.Deferred(1, func() {}) }) }
	queue()
	if before := p.Enter(7); before != 0 || p.Now() != 7 {
		t.Errorf("before 7 came %d, now is %d", before, p.Now())
	}
	queue()
	if before := p.Enter(0); before != 7 {
		t.Errorf("before 0 came %d", before)
	}
	if of, moves := p.Next(nil); !slices.Equal(of, []int{0, 7}) || moves {
		t.Errorf("ready are %v, time moves: %t", of, moves)
	}
	l.Step()
	l.Step()
	if of, moves := p.Next([]int{1}); !slices.Equal(of, []int{1, 0, 7}) || !moves {
		t.Errorf("next are %v, time moves: %t", of, moves)
	}
	if now := l.Now(); now != 0 {
		t.Errorf("asking has moved the time to %v", now)
	}
}

func TestShared(t *testing.T) {
	l := tooltest.New(tooltest.WithChooser(func(int) int { return 0 }))
	p := parts.Of(l)
	p.Enter(1)
	own, _ := l.Immediate(func() {})
	l.Cancel(own)
	if n := p.Shared(); n != 0 {
		t.Errorf("a part has cancelled its own callback: %d", n)
	}
	other, _ := l.Immediate(func() { panic("reported") })
	p.Enter(2)
	l.Cancel(other)
	_ = l.Host().Rand()
	_, _ = l.Immediate(func() { panic("reported") })
	l.Step()
	if n := p.Shared(); n != 3 {
		t.Errorf("a cancel, a number and an error are %d", n)
	}
}

func TestPartsWithoutChooser(t *testing.T) {
	l := tooltest.New()
	p := parts.Of(l)
	p.Enter(1)
	_, _ = l.Immediate(func() {})
	if of, _ := p.Next(nil); !slices.Equal(of, []int{0}) {
		t.Errorf("the parts are %v", of)
	}
}

// A callback keeps its number until it is taken. Asked returns 0 if the chooser isn't asked about callbacks.
func TestPartsAsked(t *testing.T) {
	var p parts.Loop
	var asked [][]uint64
	var pick func(n int) int
	l := tooltest.New(tooltest.WithChooser(func(n int) int { return pick(n) }))
	p = parts.Of(l)
	pick = func(n int) int {
		var numbers []uint64
		for i := range n {
			numbers = append(numbers, p.Asked(i))
		}
		asked = append(asked, numbers)
		return n - 1
	}
	for range 3 {
		_, _ = l.Immediate(func() {})
	}
	l.Step()
	_, _ = l.Immediate(func() {})
	l.Step()
	if a, b := asked[0], asked[1]; !slices.Equal(a[:2], b[:2]) || a[2] == b[2] || slices.Contains(a, 0) {
		t.Errorf("asked about %v", asked)
	}
	l.Run()
	asked = nil
	pass := step.Map(func(n int) int { return n })
	flow.Start(t.Context(), l, flow.Par(pass, pass), 0)
	l.Run()
	if len(asked) == 0 || p.Asked(0) != 0 {
		t.Errorf("of fibers asked %v, then %d", asked, p.Asked(0))
	}
	for _, numbers := range asked {
		if slices.ContainsFunc(numbers, func(n uint64) bool { return n != 0 }) {
			t.Errorf("asked about fibers %v", asked)
		}
	}
}

// With Late any due timer may go next, and a run takes a turn without asking.
func TestPartsLate(t *testing.T) {
	var asked []int
	l := tooltest.New(tooltest.WithChooser(func(n int) int {
		asked = append(asked, n)
		return n - 1
	}))
	p := parts.Of(l)
	p.Late()
	var ran []int
	for i := range 3 {
		_, _ = l.Deferred(time.Duration(i), func() { ran = append(ran, i) })
	}
	l.Lag(1)
	if of, moves := p.Next(nil); len(of) != 2 || moves {
		t.Errorf("ready are %v, time moves: %t", of, moves)
	}
	l.Run()
	if !slices.Equal(ran, []int{1, 0, 2}) || !slices.Equal(asked, []int{2}) {
		t.Errorf("the order is %v, asked about %v", ran, asked)
	}
	pass := step.Map(func(n int) int { return n })
	flow.Start(t.Context(), l, flow.Par(flow.Then(pass, pass), flow.Then(pass, pass)), 0)
	if n := l.Run(); n != 1 || len(asked) != 1 {
		t.Errorf("the run takes %d turns, asked about %v", n, asked)
	}
}

func TestPartsShift(t *testing.T) {
	l := tooltest.New()
	ran := false
	_, _ = l.Immediate(func() {})
	_, _ = l.Deferred(time.Second, func() { ran = true })
	p := parts.Of(l)
	p.Shift(time.Minute)
	if l.Now() != time.Minute || l.Ahead() != 0 {
		t.Errorf("it is %v, and the timer is due in %v", l.Now(), l.Ahead())
	}
	p.Shift(-time.Minute)
	if l.Now() != 0 || l.Ahead() != time.Second || l.Pending() != 2 || ran {
		t.Errorf("it is %v, the timer is due in %v, %d callbacks wait", l.Now(), l.Ahead(), l.Pending())
	}
}
