package flow_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// ignoresContext returns a step whose goroutine returns after d, and doesn't look at its context.
func ignoresContext(d time.Duration) step.Step[int, int] {
	return step.Await(func(_ context.Context, in int) (int, error) {
		virtualSleep(d)
		return in, nil
	})
}

// C1, C3: the grace of a goroutine ends in a branch while the branch before it is still being cancelled by an outer
// limit. The handler in the later branch isn't called, and no further step of it begins.
func TestGraceEndsInFrozenBranch(t *testing.T) {
	bubble(t, func(t *testing.T, loop *tool.Loop, reported *errorLog) {
		var rec recorder
		limited := rec.recoverWith("handler", 7, flow.Timeout(10*time.Millisecond, ignoresContext(5*time.Second)))
		p := flow.Timeout(50*time.Millisecond, flow.Par(ignoresContext(5*time.Second), flow.Then(limited, rec.passing("next step"))))
		_, err := flow.Start(t.Context(), loop, p, 1).Wait(t.Context())
		virtualSleep(10 * time.Second)
		e := plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t)
		if n := strings.Count(e.Error(), "took longer than 50ms"); n != 1 {
			t.Errorf("the error says %d times what happened: %v", n, e)
		}
		if n := len(reported.all()); n != 2 {
			t.Errorf("%d goroutines were reported, want 2", n)
		}
	})
}

// C7: the contexts of all goroutines end together, so their graces pass at the same time.
func TestGracesDoNotAddUp(t *testing.T) {
	bubble(t, func(t *testing.T, loop *tool.Loop, reported *errorLog) {
		began := time.Now()
		s := ignoresContext(time.Minute)
		_, err := flow.Start(t.Context(), loop, flow.Timeout(time.Second, flow.Par(s, s, s, s, s)), 1).Wait(t.Context())
		plantest.WantCode(t, err, fault.Timeout)
		if took := time.Since(began); took != time.Second+tool.DefaultGrace {
			t.Errorf("took %v, want %v", took, time.Second+tool.DefaultGrace)
		}
		if n := len(reported.all()); n != 5 {
			t.Errorf("%d goroutines were reported, want 5", n)
		}
		virtualSleep(time.Hour)
	})
}

// C8: the grace of a step takes precedence over that of its loop, and that over the default.
// Below zero there is no limit.
func TestC8Grace(t *testing.T) {
	const returns = time.Hour // after its context has ended
	await := func(grace time.Duration) step.Step[int, int] {
		return step.AwaitGrace(grace, func(ctx context.Context, in int) (int, error) {
			<-ctx.Done()
			virtualSleep(returns)
			return in, nil
		})
	}
	for _, c := range []struct {
		name       string
		step, loop time.Duration
		want       time.Duration
	}{
		{"the default", 0, 0, tool.DefaultGrace},
		{"of the loop, longer", 0, time.Minute, time.Minute},
		{"of the loop, shorter", 0, time.Millisecond, time.Millisecond},
		{"of the loop, without limit", 0, -1, returns},
		{"of the step, longer", time.Minute, 0, time.Minute},
		{"of the step, shorter", time.Millisecond, 0, time.Millisecond},
		{"of the step, longer than the loop's", time.Hour - 1, time.Minute, time.Hour - 1},
		{"of the step, shorter than the loop's", time.Millisecond, time.Minute, time.Millisecond},
		{"of the step, on a loop without limit", time.Millisecond, -1, time.Millisecond},
		{"of the step, without limit", -1, time.Millisecond, returns},
		{"of the step, the least duration", math.MinInt64, time.Millisecond, returns},
		{"of the step, the greatest duration", math.MaxInt64, time.Millisecond, returns},
		{"of the loop, the greatest duration", 0, math.MaxInt64, returns},
	} {
		left := func(t *testing.T, p step.Step[int, int], cancels bool, code fault.Code) {
			t.Helper()
			synctest.Test(t, func(t *testing.T) {
				var reported errorLog
				loop := tool.Start(tool.Options{Grace: c.loop, OnError: reported.add})
				defer loop.Shutdown(context.Background())
				began := time.Now()
				run := flow.Start(t.Context(), loop, p, 1)
				virtualSleep(time.Second)
				if cancels {
					run.Cancel(nil)
				}
				_, err := run.Wait(t.Context())
				plantest.WantCode(t, err, code)
				if took := time.Since(began) - time.Second; took != c.want {
					t.Errorf("the step was waited for during %v, want %v", took, c.want)
				}
				wantAbandoned(t, err, reported.all(), c.want != returns)
				virtualSleep(2 * returns) // until the goroutine has ended
			})
		}
		t.Run(c.name+"/timeout", func(t *testing.T) {
			left(t, flow.Timeout(time.Second, await(c.step)), false, fault.Timeout)
		})
		t.Run(c.name+"/cancel", func(t *testing.T) { left(t, await(c.step), true, fault.Cancelled) })
		t.Run(c.name+"/sibling", func(t *testing.T) {
			left(t, sum(flow.Par(await(c.step), failAfter(time.Second, errFirst))), false, errFirst.Code)
		})
	}
}

// C8: each goroutine has its own grace, from the moment when its context ends.
func TestC8GraceIsWhatRemains(t *testing.T) {
	bubble(t, func(t *testing.T, loop *tool.Loop, reported *errorLog) {
		began := time.Now()
		await := func(grace time.Duration) step.Step[int, int] {
			return step.AwaitGrace(grace, func(_ context.Context, in int) (int, error) {
				virtualSleep(time.Hour)
				return in, nil
			})
		}
		p := flow.Par(await(4*time.Second), await(3*time.Second), await(6*time.Second))
		_, err := flow.Start(t.Context(), loop, flow.Timeout(time.Second, p), 1).Wait(t.Context())
		plantest.WantCode(t, err, fault.Timeout)
		if took := time.Since(began); took != 7*time.Second {
			t.Errorf("took %v, want the limit and the longest grace", took)
		}
		if n := len(reported.all()); n != 3 {
			t.Errorf("%d goroutines were reported, want 3", n)
		}
		virtualSleep(time.Hour)
	})
}

// C8: the options given to flow.Run set a grace too.
func TestC8GraceOfThePrivateLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported errorLog
		ctx := flow.WithOptions(t.Context(), tool.Options{Grace: time.Minute, OnError: reported.add})
		began := time.Now()
		_, err := flow.Run(ctx, flow.Timeout(time.Second, ignoresContext(time.Hour)), 1)
		plantest.WantCode(t, err, fault.Timeout)
		if took := time.Since(began); took != time.Second+time.Minute || len(reported.all()) != 1 {
			t.Errorf("took %v, reported %v", took, reported.all())
		}
		virtualSleep(time.Hour)
	})
}

// C7, K4: a run whose clock panics while it is left ends.
func TestClockPanicsWhileARunIsLeft(t *testing.T) {
	slow := step.Await(func(ctx context.Context, _ int) (int, error) {
		<-ctx.Done()
		return 0, context.Cause(ctx)
	})
	fails := step.Func(func(step.Scope, int) (int, error) { return 0, errFirst })
	for name, plan := range map[string]step.Step[int, int]{
		"a goroutine": sum(flow.Par(slow, fails)),
		"a shield":    sum(flow.Par(flow.Shield(step.Delay[int](time.Second)), fails)),
	} {
		for breaks := range 12 { // which look at the clock panics
			t.Run(fmt.Sprint(name, breaks), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var looks atomic.Int32
					start := time.Now()
					ctx := flow.WithOptions(t.Context(), tool.Options{OnError: func(error) {}, Host: []tool.HostOption{tool.WithClock(func() time.Duration {
						if looks.Add(1) == int32(breaks+2) {
							panic("no time")
						}
						return time.Since(start)
					})}})
					_, err := flow.Run(ctx, plan, 1)
					plantest.WantCode(t, err, errFirst.Code)
				})
			})
		}
	}
}

func TestAwaitGraceNil(t *testing.T) {
	if err := flow.Of(step.AwaitGrace[int, int](time.Second, nil)).Err(); !errors.Is(err, fault.InvalidRequest) ||
		!strings.Contains(err.Error(), "step.AwaitGrace: the body is nil") {
		t.Errorf("got %v", err)
	}
}
