package frame

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/futoin-go/asyncsteps/tool"
)

// waits is a step that waits to be completed, so many times in a row.
type waits struct {
	Leaf
	slot Wait
	left int
	gen  atomic.Uint64 // of the current wait
}

func (w *waits) Exec(f *Frame) Verdict {
	gen := w.slot.Open(f)
	w.gen.Store(gen)
	return Waiting
}

func (w *waits) Resume(f *Frame) Verdict {
	if err := w.slot.Close(f); err != nil {
		return f.Fail(err)
	}
	if w.left--; w.left == 0 {
		return Done
	}
	return w.Exec(f)
}

// A completion is looked at by the turn that it falls into or by the next one,
// though a timer begins and ends turns all the while (O5). Each round has turns
// begin and end between the two looks that a completion takes at the run: one
// look would lose a completion within some hundred rounds. On one processor
// there is nothing to see.
func TestCompletionWhileTimersTurn(t *testing.T) {
	const rounds = 500
	op := &waits{left: rounds}
	run := launch(t, tool.NewManual(tool.Options{}), new(Activation), op)
	run.Turn()
	var completed atomic.Uint64
	var lost atomic.Bool
	var others sync.WaitGroup
	defer others.Wait()
	others.Go(func() {
		for gen := uint64(1); gen <= rounds; gen++ {
			for op.gen.Load() != gen {
				if lost.Load() {
					return
				}
				runtime.Gosched()
			}
			op.slot.Claim(gen)
			op.slot.Complete(nil)
			completed.Store(gen)
		}
	})
	for gen := uint64(1); gen <= rounds; gen++ {
		for completed.Load() < gen {
			run.Turn() // as a timer does
		}
		run.Turn() // or the loop, for the turn that the completion has queued
		if op.left > int(rounds-gen) {
			lost.Store(true)
			t.Fatalf("the completion of round %d is lost", gen)
		}
	}
	if err := run.Result(); !run.HasEnded() || err != nil {
		t.Errorf("over is %t, with %v", run.HasEnded(), err)
	}
}

// Whoever has looked before a turn began, or ended, still makes sure that a turn
// looks at what was posted.
func TestNoticeLooksAgain(t *testing.T) {
	for _, test := range []struct{ seen, now, want uint32 }{
		{seen: idle, now: holding, want: queued},
		{seen: holding, now: idle, want: queued},
		{seen: idle, now: queued, want: queued},
		{seen: woken, now: dirty, want: dirty},
		{seen: woken, now: idle, want: queued},
		{seen: idle, now: woken, want: dirty},
	} {
		r := new(Run)
		r.signal.Store(test.now)
		r.notifyAfter(test.seen)
		if got := r.signal.Load(); got != test.want {
			t.Errorf("seen %d, now %d: got %d, want %d", test.seen, test.now, got, test.want)
		}
	}
}
