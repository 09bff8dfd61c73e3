package syncx_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// T1: goroutines start more runs than their loop can begin. Those that are inside of a guard go on all the same when what they
// wait for has come, so that its places are used, and a run that is turned away has waited.
func TestT1OverloadedLoopServes(t *testing.T) {
	const (
		rounds  = 200
		places  = 4
		offered = 40                     // in a turn, which begins 16 at most
		turn    = 100 * time.Microsecond // what a turn takes
	)
	var now atomic.Int64
	m := tool.NewManual(tool.Options{Host: []tool.HostOption{tool.WithClock(func() time.Duration { return time.Duration(now.Load()) })}})
	var inside []step.Done[string]
	work := step.New(func(as step.Scope, _ string) step.Next[string] {
		return step.Wait(as, func(done step.Done[string]) { inside = append(inside, done) })
	})
	plan := syncx.Sync(syncx.MaxWait(time.Millisecond, syncx.NewMutex(places, -1)), work)
	served, rejected := 0, 0
	for range rounds {
		for range offered {
			flow.Start(t.Context(), m, plan, "in").Then(func(_ string, err error) {
				switch {
				case err == nil:
					served++
				case errors.Is(err, fault.DefenseRejected):
					rejected++
				default:
					t.Error(err)
				}
			})
		}
		for _, done := range inside {
			done.Succeed("out")
		}
		inside = inside[:0]
		m.Iterate()
		now.Add(int64(turn))
	}
	// A place is free for another run in the turn after that in which its work has ended, and that run begins its work in the next.
	if least := places * rounds / 3; served < least || rejected == 0 {
		t.Errorf("%d served, want at least %d; %d turned away", served, least, rejected)
	}
	for n := -1; n != served+rejected; { // the rest
		n = served + rejected
		for _, done := range inside {
			done.Succeed("out")
		}
		inside = inside[:0]
		for m.Iterate() {
			now.Add(int64(turn))
		}
		now.Add(int64(time.Millisecond))
	}
	if served+rejected != offered*rounds {
		t.Errorf("%d of %d runs have ended", served+rejected, offered*rounds)
	}
}
