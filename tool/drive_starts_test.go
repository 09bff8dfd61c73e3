package tool_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/tool"
)

// T1: what other goroutines post in order to go on isn't kept waiting by the runs that they start, nor these by it.
func TestT1StartsWaitForTheirTurn(t *testing.T) {
	m := tool.NewManual(tool.Options{Burst: 8})
	d, _ := drive.Of(m)
	starts := make([]requeued, 100)
	for i := range starts {
		starts[i].Init(&starts[i])
		starts[i].Starts()
		if err := d.Post(&starts[i].Item); err != nil {
			t.Fatal(err)
		}
	}
	begun := func() (n int) {
		for i := range starts {
			if n += starts[i].ran; i > 0 && starts[i].ran > starts[i-1].ran {
				t.Errorf("%d has begun before %d", i, i-1)
			}
		}
		return n
	}
	seen := 0
	mustSchedule(t)(m.Immediate(func() { seen = begun() }))
	var busy requeued
	busy.Init(&busy)
	busy.more, busy.post = 1000, func() {
		if err := d.PostHere(&busy.Item); err != nil {
			t.Error(err)
		}
	}
	if err := d.Post(&busy.Item); err != nil {
		t.Fatal(err)
	}
	m.Iterate()
	m.Iterate()
	if seen != 8 || busy.ran != 1 {
		t.Errorf("%d starts come before an immediate, want 8; what is busy has run %d times, want once", seen, busy.ran)
	}
	turns := 2
	for ; begun() < len(starts) && turns < 1000; turns++ {
		m.Iterate()
	}
	if turns > len(starts) {
		t.Errorf("100 starts take %d turns", turns)
	}
}

// T1: a start that waits isn't lost: the loop reports work, runs it before it ends, and can take it out of its queue.
func TestT1StartsAreWork(t *testing.T) {
	m := tool.NewManual(tool.Options{Burst: 4})
	d, _ := drive.Of(m)
	starts := make([]requeued, 10)
	post := func() {
		for i := range starts {
			starts[i].Init(&starts[i])
			starts[i].Starts()
			if err := d.Post(&starts[i].Item); err != nil {
				t.Fatal(err)
			}
		}
	}
	post()
	m.Iterate()
	for range starts {
		if wait, ok := m.Next(); wait == 0 && ok {
			m.Iterate()
		}
	}
	if _, ok := m.Next(); ok {
		t.Error("there is work when all have begun")
	}
	post()
	mustSchedule(t)(m.Immediate(func() { d.Withdraw(&starts[8].Item) }))
	if err := m.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	for i := range starts {
		want := 2
		if i == 8 {
			want = 1
		}
		if starts[i].ran != want {
			t.Errorf("start %d has run %d times, want %d", i, starts[i].ran, want)
		}
	}
	starts[0].Starts()
	if err := d.Post(&starts[0].Item); err != tool.ErrShutdown {
		t.Errorf("after the end: %v", err)
	}
}
