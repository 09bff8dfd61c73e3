package syncx_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

type breakerHidingLearn struct{ syncx.Guard }

// A section whose outcome the breaker isn't told doesn't count; if it was a probe, another section may probe.
func TestBreakerThatIsToldNoOutcome(t *testing.T) {
	h := newHarness(t)
	b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Pause: time.Second, Probes: 1})
	hidden := syncx.Sync(breakerHidingLearn{b}, step.Map(func(e end) end { return e }))
	probe := func() {
		t.Helper()
		run := flow.Start(t.Context(), h.Loop, hidden, end{})
		h.Run()
		if _, err := run.Result(); err != nil {
			t.Error(err)
		}
		if n := b.Inside(); n != 0 {
			t.Errorf("%d inside", n)
		}
	}
	probe()
	if n, _ := b.Counts(); n != 0 {
		t.Errorf("%d outcomes count", n)
	}
	_ = h.call(b, end{err: errDown})
	h.Advance(time.Second)
	probe()
	probe()
	if s := b.State(); s != syncx.HalfOpen {
		t.Errorf("the breaker is %v", s)
	}
}
