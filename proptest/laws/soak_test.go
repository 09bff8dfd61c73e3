package laws_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

var soak = flag.Duration("soak", 0, "how long TestSoak runs; 0 is a second")

// TestSoak runs a plan that decides by random numbers on three real loops at once, with errors, panics, timeouts, cancels,
// goroutines and deadlocks. It checks that guards let in no more than they may, at once and in a period, and are free after each
// round with all their places; that each run ends; that what it has begun is cleaned up; and that the memory in use doesn't grow
// without bound.
func TestSoak(t *testing.T) {
	length := max(*soak, time.Second)
	var group []*tool.Loop
	for range 3 {
		group = append(group, tool.Start(tool.Options{OnError: func(error) {}}))
	}
	s := newSoaking()
	plan := s.plan()
	end := s.began.Add(length)
	var base uint64
	rounds, runs := 0, 0
	for ; rounds < 3 || time.Now().Before(end); rounds++ {
		s.round(t, rounds, group, plan)
		runs += workers * perRound
		if now := heap(); rounds == 2 {
			base = now // the pools are filled by then
		} else if rounds > 2 && now > 2*base+16<<20 {
			t.Fatalf("round %d: %d bytes in use, %d at first", rounds, now, base)
		}
	}
	for _, loop := range group {
		if err := loop.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d runs in %d rounds, %d steps with cleanups; heap %d KiB at first, %d KiB at last",
		runs, rounds, s.begun.Load(), base>>10, heap()>>10)
	for _, w := range s.guards {
		if t.Logf("%s: %d entries, at most %d inside", w.name, w.entered.Load(), w.most.Load()); w.entered.Load() == 0 {
			t.Errorf("the %s was of no use", w.name)
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

const (
	workers  = 4
	perRound = 200 // runs of each worker in a round

	// hangs is how long a round may take before the test takes it for stuck.
	hangs = time.Minute
)

func (s *soaking) round(t *testing.T, number int, group []*tool.Loop, plan step.Step[*rand.Rand, int]) {
	ctx, cancel := context.WithTimeout(context.Background(), hangs)
	defer cancel()
	var all sync.WaitGroup
	for worker := range workers {
		r := rand.New(rand.NewPCG(uint64(number), uint64(worker)))
		all.Go(func() { s.work(ctx, t, r, group[worker%len(group)], plan) })
	}
	all.Wait()
	if t.Failed() {
		for _, w := range s.guards {
			t.Logf("%s: %d inside, %d queued", w.name, w.guard.Inside(), w.guard.Queued())
		}
		t.FailNow()
	}
	if s.begun.Load() != s.cleaned.Load() {
		t.Fatalf("round %d: %d steps begun, %d cleaned", number, s.begun.Load(), s.cleaned.Load())
	}
	for _, w := range s.guards {
		if err := w.rested(); err != nil {
			t.Fatalf("round %d: %v", number, err)
		}
		w.permits(ctx, t, group[number%len(group)])
	}
}

func (s *soaking) work(ctx context.Context, t *testing.T, r *rand.Rand, loop tool.Tool, plan step.Step[*rand.Rand, int]) {
	var running []*flow.Running[int]
	for range perRound {
		in := rand.New(rand.NewPCG(r.Uint64(), r.Uint64())) // its own, because the run uses it on the loop's goroutine
		run := flow.Start(context.Background(), loop, plan, in)
		if r.IntN(5) == 0 {
			run.Cancel(errStop)
		}
		running = append(running, run)
	}
	for _, run := range running {
		if r.IntN(5) == 0 {
			run.Cancel(errStop)
		}
		_, err := run.Wait(ctx)
		if ctx.Err() != nil {
			t.Error("a run doesn't end")
			return
		}
		switch fault.CodeOf(err) {
		case "", "Soaked", fault.Timeout, fault.Cancelled, fault.InternalError, fault.DefenseRejected, syncx.Deadlock:
		default:
			t.Errorf("a run ended with %v", err)
		}
	}
}
