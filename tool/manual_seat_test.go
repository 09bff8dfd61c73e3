package tool_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/internal/queue"
	"github.com/futoin-go/asyncsteps/tool"
)

type turnLimit struct{ n int }

func turnsLimit(n int) *turnLimit { return &turnLimit{n} }

func (t *turnLimit) Enough() bool {
	t.n--
	return t.n < 0
}

// The goroutine that holds the seat of a loop counts as the loop's goroutine, and Iterate does nothing
// while the seat is held.
func TestManualSeat(t *testing.T) {
	var errs []error
	m := tool.NewManual(tool.Options{OnError: func(err error) { errs = append(errs, err) }})
	d, seat := drive.Of(m)
	if !seat.Take() || seat != d.Seat() {
		t.Fatal("can't take the seat of an idle loop")
	}
	if !m.InLoop() {
		t.Error("not in the loop, in its seat")
	}
	var other sync.WaitGroup
	other.Go(func() {
		if m.InLoop() || seat.Take() {
			t.Error("another goroutine is in the loop too")
		}
	})
	other.Wait()
	ran := 0
	again := func() { ran++ }
	mustSchedule(t)(m.Immediate(func() {
		mustSchedule(t)(m.Immediate(again))
		panic("one turn is broken off")
	}))
	mustSchedule(t)(m.Immediate(func() { mustSchedule(t)(m.Deferred(0, again)) }))
	if m.Iterate() {
		t.Error("iterated while somebody was inside")
	}
	if d.Turns(turnsLimit(9)) || ran != 2 {
		t.Errorf("who is inside could run %d of 2 callbacks", ran)
	}
	mustSchedule(t)(m.Immediate(again))
	if !d.Turns(turnsLimit(0)) || ran != 2 {
		t.Error("took a turn when there was enough of them")
	}
	mustSchedule(t)(m.Immediate(func() { mustSchedule(t)(m.Immediate(again)) }))
	if !d.Turns(turnsLimit(1)) || ran != 3 {
		t.Error("took another number of turns than one")
	}
	if d.Turns(turnsLimit(9)) || ran != 4 {
		t.Error("turns are left")
	}
	mustSchedule(t)(m.Immediate(func() {}))
	seat.Leave()
	if len(errs) != 1 {
		t.Errorf("reported are %v, want the panic", errs)
	}
	if m.InLoop() || !m.Iterate() {
		t.Error("Leave didn't give the loop free")
	}
}

// A goroutine that ends in a callback no longer counts as the loop's, because another
// goroutine may get its descriptor.
func TestManualForgetsWhoEnded(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	mustSchedule(t)(m.Immediate(runtime.Goexit))
	var ended sync.WaitGroup
	ended.Go(func() { m.Iterate() })
	ended.Wait()
	var others sync.WaitGroup
	for range 200 {
		others.Go(func() {
			if m.InLoop() {
				t.Error("in the loop of another")
			}
		})
	}
	others.Wait()
	mustSchedule(t)(m.Immediate(func() {}))
	if !m.Iterate() {
		t.Error("the loop can't be driven on")
	}
}

type requeued struct {
	queue.Item
	ran, more int
	post      func()
}

func (n *requeued) Turn() {
	if n.ran++; n.ran <= n.more {
		n.post()
	}
}

// T1: an item that any goroutine may post keeps its place among the callbacks, and can be withdrawn.
func TestDrivenPost(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	d, seat := drive.Of(m)
	var order []string
	n := &requeued{more: 1}
	say := func(what string) {
		mustSchedule(t)(m.Immediate(func() { order = append(order, fmt.Sprint(what, n.ran)) }))
	}
	n.Init(n)
	n.post = func() {
		say("before")
		if err := d.Post(&n.Item); err != nil {
			t.Error(err)
		}
		say("after")
	}
	n.post() // not in the loop
	for m.Iterate() {
		order = append(order, fmt.Sprint(n.ran))
	}
	if want := []string{"before0", "after1", "1", "before1", "after2", "2"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
	n.more = 9
	for _, here := range []bool{false, true} {
		if here {
			seat.Take()
		}
		n.post()
		if !here {
			seat.Take()
		}
		d.Withdraw(&n.Item)
		d.Withdraw(&n.Item) // does nothing
		seat.Leave()
		for m.Iterate() {
		}
		if n.ran != 2 || n.Queued() {
			t.Errorf("posted in the loop %t: %d turns, queued %t", here, n.ran, n.Queued())
		}
	}
	if err := m.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, here := range []bool{false, true} {
		if here {
			seat.Take()
		}
		if err := d.Post(&n.Item); !errors.Is(err, tool.ErrShutdown) || n.Queued() {
			t.Errorf("posted in the loop %t, after its end: %v", here, err)
		}
	}
	seat.Leave()
}

// Reset drops the channel of Wake, because the channel may belong to a synctest bubble.
func TestManualResetDropsWake(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	before := m.Wake()
	if err := m.Reset(); err != nil {
		t.Fatal(err)
	}
	if m.Wake() == before {
		t.Error("the channel outlived Reset")
	}
}

// Empty sees timers, and what the loop and other goroutines have queued. Where goroutines can't be told apart
// quickly, a cancelled callback counts until a turn reaches it.
func TestDrivenEmpty(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	d, seat := drive.Of(m)
	seat.Take()
	defer seat.Leave()
	check := func(what string, want bool) {
		t.Helper()
		if d.Empty() != want {
			t.Errorf("%s: empty is %t", what, !want)
		}
	}
	check("new", true)
	h, err := m.Immediate(func() {})
	mustSchedule(t)(h, err)
	check("an immediate", false)
	m.Cancel(h)
	check("a cancelled one", goid.Fast)
	h, err = m.Deferred(0, func() {})
	mustSchedule(t)(h, err)
	check("a timer", false)
	m.Cancel(h)
	check("a cancelled one", goid.Fast)
	var other sync.WaitGroup
	other.Go(func() { mustSchedule(t)(m.Immediate(func() {})) })
	other.Wait()
	check("a post", false)
	d.Turns(turnsLimit(9))
	check("all have run", true)
}
