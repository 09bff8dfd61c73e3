package syncx_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestInfoOfAFullQueue(t *testing.T) {
	for name, c := range map[string]struct {
		guard syncx.Guard
		info  string
	}{
		"Mutex":                 {syncx.NewMutex(1, 0), "Mutex queue limit"},
		"Throttle":              {syncx.NewThrottle(1, time.Second, 0), "Throttle queue limit"},
		"TokenBucket":           {syncx.NewTokenBucket(1, time.Second, 1, 0), "Throttle queue limit"},
		"Limiter, concurrently": {syncx.NewLimiter(syncx.Limits{Rate: 10}), "Mutex queue limit"},
		"Limiter, rate":         {syncx.NewLimiter(syncx.Limits{Concurrent: 10}), "Throttle queue limit"},
	} {
		t.Run(name, func(t *testing.T) {
			section := syncx.Sync(c.guard, step.Delay[int](time.Millisecond))
			_, err := plantest.Run(t, flow.Par(section, section), 1)
			e := plantest.WantCode(t, err, fault.DefenseRejected)
			if got := fault.InfoOf(e); got != c.info || e.Cause == nil {
				t.Errorf("got %q with the cause %v, want %q", got, e.Cause, c.info)
			}
		})
	}
}
