package frame

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/futoin-go/asyncsteps/tool"
)

// repeatedWait is an op that waits to be completed left times in a row.
type repeatedWait struct {
	Leaf
	slot Wait
	left int
	gen  atomic.Uint64 // of the current wait
}

func (w *repeatedWait) Exec(f *Frame) Verdict {
	gen := w.slot.Open(f)
	w.gen.Store(gen)
	return Waiting
}

func (w *repeatedWait) Resume(f *Frame) Verdict {
	if err := w.slot.Close(f); err != nil {
		return f.Fail(err)
	}
	if w.left--; w.left == 0 {
		return Done
	}
	return w.Exec(f)
}

// O5: a completion is handled by the turn during which it comes, or by the next one, though turns begin and end all the
// time.
func TestCompletionWhileTimersTurn(t *testing.T) {
	const rounds = 500
	op := &repeatedWait{left: rounds}
	run := startRun(t, tool.NewManual(tool.Options{}), new(Activation), op)
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

// A post that has read the run's state before a turn began or ended makes sure that a turn handles it.
func TestNotifyAfterLooksAgain(t *testing.T) {
	for _, test := range []struct{ seen, now, want uint32 }{
		{seen: idle, now: holding, want: queued},
		{seen: holding, now: idle, want: queued},
		{seen: idle, now: queued, want: queued},
		{seen: first, now: dirty, want: dirty},
		{seen: first, now: idle, want: queued},
		{seen: idle, now: first, want: dirty},
	} {
		r := new(Run)
		r.alert.Store(test.now)
		r.notifyAfter(test.seen)
		if got := r.alert.Load(); got != test.want {
			t.Errorf("seen %d, now %d: got %d, want %d", test.seen, test.now, got, test.want)
		}
	}
}
