package tooltest_test

import (
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/parts"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// What a callback queues belongs to its part, and what a callback of no part queues to none.
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

// In the plain order there are no parts.
func TestPartsWithoutChooser(t *testing.T) {
	l := tooltest.New()
	p := parts.Of(l)
	p.Enter(1)
	_, _ = l.Immediate(func() {})
	if of, _ := p.Next(nil); !slices.Equal(of, []int{0}) {
		t.Errorf("the parts are %v", of)
	}
}
