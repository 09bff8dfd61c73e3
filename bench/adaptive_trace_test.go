package bench

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// latencies are invented calls, drawn at random, of a server that works well, then slowly, then well again. A line has the
// milliseconds from the call before to the beginning of this one, how many it takes, and whether it times out. Each phase has a
// third of the lines.
//
//go:embed testdata/latencies.txt
var latencies string

// adaptive is an adaptive limit: call makes a call in the background, and limit returns the current limit.
type adaptive struct {
	call  func(took time.Duration, late bool)
	limit func() int
	stop  func()
}

// limitsOver returns the limit at the end of each phase of the trace.
func limitsOver(t *testing.T, l adaptive) (ends [3]int) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(latencies), "\n")
	for i, line := range lines {
		var gap, took int
		var how string
		if _, err := fmt.Sscan(line, &gap, &took, &how); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(gap) * time.Millisecond)
		l.call(time.Duration(took)*time.Millisecond, how == "late")
		if n := (i + 1) * 3; n%len(lines) == 0 {
			ends[n/len(lines)-1] = l.limit()
		}
	}
	l.stop()
	return ends
}

func limitedOurs(t *testing.T) adaptive {
	a := syncx.NewAdaptive(syncx.AdaptivePolicy{Start: 20, Max: 40, Window: 100 * time.Millisecond})
	loop := tool.Start(tool.Options{})
	type one struct {
		took time.Duration
		late bool
	}
	plan := syncx.Sync(a, flow.Then(step.DelayBy(func(_ step.Scope, o one) time.Duration { return o.took }), step.Func(func(_ step.Scope, o one) (one, error) {
		if o.late {
			return o, fault.Timeout
		}
		return o, nil
	})))
	return adaptive{
		call:  func(took time.Duration, late bool) { flow.Start(t.Context(), loop, plan, one{took, late}) },
		limit: a.Capacity,
		stop: func() {
			if err := loop.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		},
	}
}

func limitedFailsafe(*testing.T) adaptive {
	a := adaptivelimiter.NewBuilder[int]().WithLimits(1, 40, 20).
		WithRecentWindow(100*time.Millisecond, time.Second, 10).Build()
	var all sync.WaitGroup
	return adaptive{
		call: func(took time.Duration, late bool) {
			permit, ok := a.TryAcquirePermit()
			if !ok {
				return
			}
			all.Go(func() {
				time.Sleep(took)
				if late {
					permit.Drop()
				} else {
					permit.Record()
				}
			})
		},
		limit: a.Limit,
		stop:  all.Wait,
	}
}

// Both limits get the same calls, and change alike: they rise while the server answers in time, fall while it is slow, and rise
// again. Their formulas differ, and so may their figures.
func TestAdaptiveLimitsMoveAlike(t *testing.T) {
	for name, newLimit := range map[string]func(*testing.T) adaptive{"asyncsteps": limitedOurs, "failsafe": limitedFailsafe} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ends := limitsOver(t, newLimit(t))
				t.Log("limits", ends)
				if ends[0] <= 20 || ends[1] >= ends[0]*3/4 || ends[2] <= ends[1] {
					t.Errorf("limits %v, want one above 20, a lower one, and a higher one", ends)
				}
			})
		})
	}
}
