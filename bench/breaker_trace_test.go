package bench

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/sony/gobreaker/v2"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// outcomes are calls of a server that fails at times. A line has the milliseconds from the call before to the beginning of this one,
// and how it ends.
//
//go:embed testdata/outcomes.txt
var outcomes string

// through makes a call that may fail, and reports whether the breaker let it in.
type through func(fails bool) (entered bool)

func decisions(t *testing.T, call through) (signs string) {
	t.Helper()
	for line := range strings.Lines(outcomes) {
		var gap int
		var how string
		if _, err := fmt.Sscan(line, &gap, &how); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(gap) * time.Millisecond)
		switch {
		case !call(how == "fail"):
			signs += "-"
		case how == "fail":
			signs += "x"
		default:
			signs += "o"
		}
	}
	return signs
}

func throughOurs(t *testing.T, p syncx.BreakerPolicy) through {
	b := syncx.NewBreaker(p)
	plan := syncx.Sync(b, step.Func(func(_ step.Scope, fails bool) (bool, error) {
		if fails {
			return false, errDeclared
		}
		return true, nil
	}))
	return func(fails bool) bool {
		_, err := flow.Run(t.Context(), plan, fails)
		return !errors.Is(err, syncx.CircuitOpen)
	}
}

func throughFailsafe(cb circuitbreaker.CircuitBreaker[int]) through {
	return func(fails bool) bool {
		if !cb.TryAcquirePermit() {
			return false
		}
		if fails {
			cb.RecordFailure()
		} else {
			cb.RecordSuccess()
		}
		return true
	}
}

// Given the same calls, one after the other, the breakers let in the same ones.
func TestBreakersDecideAlike(t *testing.T) {
	for _, tt := range []struct {
		reason string
		calls  map[string]func(t *testing.T) through
	}{
		{"five failures in a row, one probe after a second", map[string]func(t *testing.T) through{
			"asyncsteps": func(t *testing.T) through {
				return throughOurs(t, syncx.BreakerPolicy{Failures: 5, Pause: time.Second})
			},
			"failsafe": func(*testing.T) through {
				return throughFailsafe(circuitbreaker.NewBuilder[int]().WithFailureThreshold(5).
					WithDelay(time.Second).WithSuccessThreshold(1).Build())
			},
			"gobreaker": func(*testing.T) through {
				cb := gobreaker.NewCircuitBreaker[int](gobreaker.Settings{
					Timeout:     time.Second,
					ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= 5 },
				})
				return func(fails bool) bool {
					entered := false
					_, _ = cb.Execute(func() (int, error) { // the caller knows the outcome
						if entered = true; fails {
							return 0, errDeclared
						}
						return 1, nil
					})
					return entered
				}
			},
		}},
		{"three failures among the last ten, two probes", map[string]func(t *testing.T) through{
			"asyncsteps": func(t *testing.T) through {
				return throughOurs(t, syncx.BreakerPolicy{Failures: 3, Last: 10, Pause: time.Second, Probes: 2})
			},
			"failsafe": func(*testing.T) through {
				return throughFailsafe(circuitbreaker.NewBuilder[int]().WithFailureThresholdRatio(3, 10).
					WithDelay(time.Second).WithSuccessThreshold(2).Build())
			},
		}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got := map[string]string{}
			for name, call := range tt.calls {
				synctest.Test(t, func(t *testing.T) { got[name] = decisions(t, call(t)) })
			}
			want := got["asyncsteps"]
			if !strings.Contains(want, "-") || !strings.Contains(want, "x") {
				t.Fatalf("the trace shows nothing: %s", want)
			}
			for name, signs := range got {
				if signs != want {
					t.Errorf("%s\n%s\nasyncsteps\n%s", name, signs, want)
				}
			}
		})
	}
}

// The breakers differ when a call that the closed breaker let in fails after the breaker has opened and closed again. failsafe
// counts that failure, and so may open because of what happened before; asyncsteps doesn't.
func TestBreakersOnLateOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cb := circuitbreaker.NewBuilder[int]().WithFailureThreshold(1).WithDelay(time.Second).Build()
		cb.TryAcquirePermit() // the late call is let in
		cb.TryAcquirePermit()
		cb.RecordFailure()
		time.Sleep(2 * time.Second)
		cb.TryAcquirePermit()
		cb.RecordSuccess()
		cb.RecordFailure() // the late call fails
		if !cb.IsOpen() {
			t.Error("failsafe doesn't count it any more: say so in docs/from/failsafe-go.md")
		}

		b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Pause: time.Second})
		fails := step.Func(func(step.Scope, int) (int, error) { return 0, errDeclared })
		late := make(chan error)
		go func() {
			_, err := flow.Run(t.Context(), syncx.Sync(b, flow.Then(step.Delay[int](3*time.Second), fails)), 0)
			late <- err
		}()
		synctest.Wait()
		_, _ = flow.Run(t.Context(), syncx.Sync(b, fails), 0) // opens the breaker
		time.Sleep(2 * time.Second)
		if _, err := flow.Run(t.Context(), syncx.Sync(b, inc), 0); err != nil || <-late == nil || b.State() != syncx.Closed {
			t.Errorf("%v, %v", err, b.State())
		}
	})
}
