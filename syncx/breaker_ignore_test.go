package syncx_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/syncx"
)

// An error that is ignored neither opens nor closes a breaker, and gives the place of a probe to the next section.
func TestG6BreakerIgnores(t *testing.T) {
	h := newHarness(t)
	b := syncx.NewBreaker(syncx.BreakerPolicy{
		Failures: 2, Last: 2, Pause: time.Second,
		Ignore: func(err error) bool { return errors.Is(err, fault.DefenseRejected) },
		Failure: func(err error) bool {
			return !errors.Is(err, fault.InvalidRequest) && !errors.Is(err, fault.DefenseRejected)
		},
	})
	full, refused := fault.New(fault.DefenseRejected, "full"), fault.New(fault.InvalidRequest, "bad input")
	after := func(want syncx.BreakerState, errs ...error) {
		t.Helper()
		for _, err := range errs {
			_ = h.call(b, end{err: err})
		}
		if b.State() != want {
			t.Errorf("%v after %v, want %v", b.State(), errs, want)
		}
	}
	after(syncx.Closed, full, full, errDown, full)
	if n, failures := b.Counts(); n != 1 || failures != 1 {
		t.Errorf("%d sections count, %d as failures", n, failures)
	}
	after(syncx.Closed, refused, errDown, full) // a success between two failures
	after(syncx.Open, errDown, full)
	h.Advance(time.Second)
	after(syncx.HalfOpen, full, full)
	after(syncx.Closed, refused)
	after(syncx.Open, errDown, full, errDown)
	h.Advance(time.Second)
	after(syncx.Open, full, errDown)
}

// An error that is ignored isn't a failure although the section was slow, as after a long wait for a guard inside.
func TestG6BreakerIgnoresSlowSections(t *testing.T) {
	h := newHarness(t)
	b := syncx.NewBreaker(syncx.BreakerPolicy{
		Failures: 1, Slow: ms, Ignore: func(err error) bool { return errors.Is(err, fault.DefenseRejected) },
	})
	m := syncx.NewMutex(1, -1)
	h.outcome("holder", syncx.Sync(m, quiet(h, time.Second)))
	h.outcome("waits", syncx.Sync(b, syncx.Sync(syncx.MaxWait(10*ms, m), h.mark("never"))))
	h.Run()
	h.WantEvents("waits!DefenseRejected holder")
	if b.State() != syncx.Closed {
		t.Errorf("the breaker is %v", b.State())
	}
	_ = h.call(b, end{after: 10 * ms, err: errDown})
	if b.State() != syncx.Open {
		t.Errorf("after a slow failure the breaker is %v", b.State())
	}
}
