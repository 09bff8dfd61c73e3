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

// TestSoak runs random plans on two real loops at once, with errors, panics,
// timeouts, cancels and goroutines, and watches what must hold at any time:
// guards are never overfull and free in the end, what begins is cleaned, every run
// ends, and the memory in use doesn't grow.
func TestSoak(t *testing.T) {
	length := max(*soak, time.Second)
	group := []*tool.Loop{tool.Start(tool.Options{OnError: func(error) {}}), tool.Start(tool.Options{OnError: func(error) {}})}
	s := &soaking{mutex: syncx.NewMutex(3, 50)}
	plan := s.plan()
	end := time.Now().Add(length)
	var base uint64
	rounds, runs := 0, 0
	for ; rounds < 3 || time.Now().Before(end); rounds++ {
		var all sync.WaitGroup
		for worker := range 4 {
			r := rand.New(rand.NewPCG(uint64(rounds), uint64(worker)))
			all.Go(func() { s.round(t, r, group[worker%2], plan) })
		}
		all.Wait()
		runs += 4 * perRound
		if s.mutex.Inside() != 0 || s.mutex.Queued() != 0 {
			t.Fatalf("round %d: %d inside, %d queued when all is over", rounds, s.mutex.Inside(), s.mutex.Queued())
		}
		if s.begun.Load() != s.cleaned.Load() {
			t.Fatalf("round %d: %d steps begun, %d cleaned", rounds, s.begun.Load(), s.cleaned.Load())
		}
		if now := heap(); rounds == 2 {
			base = now // pools are warm
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
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

const perRound = 200

// round starts runs and waits for all of them; some are cancelled.
func (s *soaking) round(t *testing.T, r *rand.Rand, loop tool.Tool, plan step.Step[*rand.Rand, int]) {
	var running []*flow.Running[int]
	for range perRound {
		in := rand.New(rand.NewPCG(r.Uint64(), r.Uint64())) // each run has its own: runs of two loops go on at once
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
		_, err := run.Wait(context.Background())
		switch fault.CodeOf(err) {
		case "", "Soaked", fault.Timeout, fault.Cancelled, fault.InternalError, fault.DefenseRejected, syncx.Deadlock:
		default:
			t.Errorf("a run ended with %v", err)
		}
	}
}
