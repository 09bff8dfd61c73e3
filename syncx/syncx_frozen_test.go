package syncx_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// frozen starts a run of three branches. The second one waits for g; the third one fails after a millisecond. While the
// first one is being cancelled for that, and the second one is still in the queue, meanwhile is called.
func frozen(h *harness, g syncx.Guard, meanwhile func()) {
	first := step.New(func(as step.Scope, _ string) step.Next[string] {
		as.SetCancel(meanwhile)
		return step.Wait[string](as, nil)
	})
	h.outcome("frozen", join(first, syncx.Sync(g, h.mark("never")), flow.Then(quiet(h, ms), plantest.Fail[string, string](errBody))))
}

// C1, G1: a step that is about to be cancelled isn't let in any more. The next one is let in before the cancel reaches that
// step.
func TestFrozenIsPassedOver(t *testing.T) {
	for name, g := range map[string]interface {
		syncx.Guard
		stats
	}{
		"mutex":   syncx.NewMutex(1, -1),
		"limiter": syncx.NewLimiter(syncx.Limits{MaxQueue: -1, Rate: 2}),
	} {
		t.Run(name, func(t *testing.T) {
			h, other := newHarness(t), newHarness(t)
			other.outcome("holder", syncx.Sync(g, quiet(other, ms)))
			other.Advance(0)
			frozen(h, g, func() {
				other.Advance(ms)
				other.WantEvents("holder next-in next")
			})
			h.Advance(0)
			other.outcome("next", syncx.Sync(g, other.mark("next-in")))
			other.Advance(0)
			wantStats(t, g, 1, 2)
			h.Run()
			h.WantEvents("frozen!InternalError")
			other.Run()
			wantStats(t, g, 0, 0)
		})
	}
	t.Run("throttle", func(t *testing.T) {
		h, other := newHarness(t), newHarness(t)
		throttle := syncx.NewThrottle(2, 100*ms, -1)
		s := syncx.Sync(throttle, other.stamp())
		for _, name := range []string{"a", "b", "c"} {
			other.start(name, s)
		}
		other.Advance(0)
		frozen(h, throttle, func() {
			other.Advance(100 * ms)
			other.WantEvents("a@0 b@0 c@100 d@100")
		})
		h.Advance(0)
		other.start("d", s)
		other.Advance(0)
		wantStats(t, throttle, 0, 3)
		h.Run()
		h.WantEvents("frozen!InternalError")
		wantStats(t, throttle, 0, 0)
	})
}
