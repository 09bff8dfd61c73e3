package flow_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// C3, T1: if a limit, and a timer of a step below it, have the same deadline, the limit fires first, because it was set
// first, although the timers of limits are armed later.
func TestLimitFiresBeforeALaterTimerOfTheSameLength(t *testing.T) {
	for name, run := range map[string]func(context.Context, step.Step[int, int]) (int, error){
		"Run": func(ctx context.Context, plan step.Step[int, int]) (int, error) { return flow.Run(ctx, plan, 1) },
		"Start": func(ctx context.Context, plan step.Step[int, int]) (int, error) {
			loop := tool.Start(tool.Options{})
			defer loop.Shutdown(ctx)
			return flow.Start(ctx, loop, plan, 1).Wait(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				delays := step.Delay[int](time.Second)
				_, err := run(t.Context(), flow.Timeout(time.Second, delays))
				if !errors.Is(err, fault.Timeout) {
					t.Errorf("a delay of the same length: %v", err)
				}
				// the outer limit was set first
				began := time.Now()
				path := ""
				_, err = run(t.Context(), flow.Timeout(time.Second, flow.Timeout(time.Second, delays)))
				if f, ok := fault.AsType[*fault.Error](err); ok {
					path = f.Path
				}
				if !errors.Is(err, fault.Timeout) || path != "0" || time.Since(began) != time.Second {
					t.Errorf("two limits: %v at %q after %v", err, path, time.Since(began))
				}
			})
		})
	}
}

// C3: a limit that is cancelled in the turn in which it was set, one that is set again, and one of a branch have the
// same effects as if they were armed at once.
func TestLimitsOfOneTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := tool.Start(tool.Options{})
		defer loop.Shutdown(t.Context())
		plain := step.Map(func(i int) int { return i })
		again := step.New(func(as step.Scope, _ int) step.Next[int] {
			as.SetTimeout(time.Hour)
			as.SetTimeout(time.Minute)
			as.SetTimeout(time.Second)
			return step.Wait[int](as, nil)
		})
		short := flow.Timeout(500*time.Millisecond, flow.Timeout(time.Hour, plain))
		began := time.Now()
		_, err := flow.Start(t.Context(), loop, flow.Par(short, again, flow.Timeout(2*time.Second, again)), 1).Wait(t.Context())
		if took := time.Since(began); !errors.Is(err, fault.Timeout) || took != time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// C8: the deadline that a step sees in the turn in which its limit is set is the time of the timer.
func TestDeadlineIsThatOfTheTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown time.Time
		waits := step.New(func(as step.Scope, _ int) step.Next[int] {
			shown, _ = as.Context().Deadline()
			return step.Wait[int](as, nil)
		})
		_, err := flow.Run(t.Context(), flow.Timeout(time.Second, waits), 1)
		if ended := time.Now(); !errors.Is(err, fault.Timeout) || !shown.Equal(ended) {
			t.Errorf("%v: the deadline was %v, it has passed at %v", err, shown, ended)
		}
	})
}

// C3: a limit in a long turn of a run that its caller drives is armed before the end of the turn.
func TestLimitOfALongTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := step.Map(func(i int) int { time.Sleep(time.Millisecond); return i + 1 }) //stepvet:ignore a body that is slow on purpose
		all := make([]step.Step[int, int], 5000)
		for i := range all {
			all[i] = slow
		}
		began := time.Now()
		_, err := flow.Run(t.Context(), flow.Timeout(1500*time.Millisecond, flow.Chain(all...)), 0)
		if took := time.Since(began); !errors.Is(err, fault.Timeout) || took > 2*time.Second { // the end of the second turn: a turn has 1000 steps
			t.Errorf("%v after %v", err, took)
		}
	})
}

// C3: limits that are set in one turn are armed at its end, also if one between them has been taken back by then.
func TestLimitOfTheTurnIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := tool.Start(tool.Options{})
		defer func() { _ = loop.Shutdown(t.Context()) }()
		stalls := step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
		quick := sum[int](flow.Par(plantest.Add(1), plantest.Add(2)))                      // its branches begin after those around it
		before := flow.Chain(slices.Repeat([]step.Step[int, int]{plantest.Add(0)}, 17)...) // after so many steps the run checks its budget less often
		begun := time.Now()
		p := flow.Then(before, flow.Timeout(time.Hour, flow.Par(flow.Timeout(time.Hour, quick), flow.Timeout(time.Second, stalls))))
		_, err := flow.Start(t.Context(), loop, p, 1).Wait(t.Context())
		if plantest.WantCode(t, err, fault.Timeout); time.Since(begun) != time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
	})
}

// C3, C6, P2: a completion was posted but not yet delivered when the limit of a step around passes. The branch goes on
// once.
func TestCompletionPostedWhenLimitPasses(t *testing.T) {
	loop := tooltest.New()
	var doneA, doneB step.Done[int]
	wait := func(to *step.Done[int]) step.Step[int, int] {
		return step.New(func(as step.Scope, _ int) step.Next[int] {
			return step.Wait(as, func(d step.Done[int]) { *to = d })
		})
	}
	inner := flow.Then(wait(&doneA), step.Map(func(i int) int { return i }))
	a := flow.Catch(flow.Timeout(time.Second, inner), func(step.Scope, error) step.Next[int] { return step.Succeed(-1) })
	// the same deadline, but queued earlier: fires just before the limit
	if _, err := loop.Deferred(time.Second, func() { doneA.Succeed(1) }); err != nil {
		t.Fatal(err)
	}
	r := flow.Start(t.Context(), loop, flow.Par2(a, wait(&doneB)), 0)
	loop.Advance(2 * time.Second)
	for _, err := range loop.Errors() {
		t.Error(err)
	}
	select {
	case <-r.Done():
		v, err := r.Result()
		t.Fatalf("ended with %v, %v, though b still waits", v, err)
	default:
	}
	doneB.Succeed(2)
	loop.Run()
	if v, err := r.Result(); err != nil || v.B != 2 {
		t.Errorf("got %v, %v", v, err)
	}
}
