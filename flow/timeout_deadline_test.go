package flow_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// C8: the deadline of a context is the earliest of the limits around it and the deadline of the run's context.
func TestC8Deadline(t *testing.T) {
	const h = time.Hour
	limits := func(d time.Duration, s step.Step[int, int]) step.Step[int, int] {
		return step.New(func(as step.Scope, in int) step.Next[int] {
			before := as.Context()
			deadline, has := before.Deadline()
			as.SetTimeout(5 * h)
			as.SetTimeout(d) // replaces the first one
			if got, ok := before.Deadline(); ok != has || !got.Equal(deadline) {
				t.Errorf("the deadline of a context moves from %v to %v", deadline, got)
			}
			return step.Into(as, s, in)
		})
	}
	for _, c := range []struct {
		name string
		wrap func(step.Step[int, int]) step.Step[int, int]
		run  time.Duration // limit of the run's context; 0 for none
		want time.Duration // 0 for no deadline
	}{
		{"no limit", func(s step.Step[int, int]) step.Step[int, int] { return s }, 0, 0},
		{"the run's", func(s step.Step[int, int]) step.Step[int, int] { return s }, 3 * h, 3 * h},
		{"Timeout", func(s step.Step[int, int]) step.Step[int, int] { return flow.Timeout(h, s) }, 0, h},
		{"Timeout under the run's", func(s step.Step[int, int]) step.Step[int, int] { return flow.Timeout(h, s) }, 3 * h, h},
		{"the run's under Timeout", func(s step.Step[int, int]) step.Step[int, int] { return flow.Timeout(4*h, s) }, 3 * h, 3 * h},
		{"longer inside", func(s step.Step[int, int]) step.Step[int, int] { return flow.Timeout(h, flow.Timeout(2*h, s)) }, 0, h},
		{"shorter inside", func(s step.Step[int, int]) step.Step[int, int] { return flow.Timeout(2*h, flow.Timeout(h, s)) }, 0, h},
		{"across branches", func(s step.Step[int, int]) step.Step[int, int] {
			return flow.Timeout(h, sum(flow.Par(flow.Timeout(2*h, s))))
		}, 0, h},
		{"SetTimeout", func(s step.Step[int, int]) step.Step[int, int] { return limits(2*h, s) }, 3 * h, 2 * h},
		{"SetTimeout in Timeout", func(s step.Step[int, int]) step.Step[int, int] { return flow.Timeout(h, limits(2*h, s)) }, 0, h},
		{"a limit that has ended", func(s step.Step[int, int]) step.Step[int, int] { return flow.Then(flow.Timeout(h, plantest.Add(0)), s) }, 0, 0},
		{"beyond the range", func(s step.Step[int, int]) step.Step[int, int] { return flow.Timeout(1<<63-1, s) }, 3 * h, 3 * h},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				began := time.Now()
				if c.run != 0 {
					limited, cancel := context.WithTimeout(ctx, c.run)
					defer cancel()
					ctx = limited
				}
				check := func(ctx context.Context) {
					got, ok := ctx.Deadline()
					if ok != (c.want != 0) || ok && got.Sub(began) != c.want {
						t.Errorf("the deadline is %v, %t; want %v", got.Sub(began), ok, c.want)
					}
					child, cancel := context.WithCancel(ctx)
					defer cancel()
					if deadline, has := child.Deadline(); has != ok || !deadline.Equal(got) {
						t.Errorf("a context made from it has the deadline %v", deadline)
					}
				}
				plan := flow.Then(step.Delay[int](time.Second), c.wrap(flow.Then(
					step.Func(func(as step.Scope, in int) (int, error) { check(as.Context()); return in, nil }),
					step.Await(func(ctx context.Context, in int) (int, error) { check(ctx); return in, nil }))))
				if c.run == 0 {
					began = began.Add(time.Second)
				} else if c.want != c.run {
					began = began.Add(time.Second)
				}
				if _, err := flow.Run(ctx, plan, 1); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestC8VirtualDeadline(t *testing.T) {
	loop := tooltest.New()
	loop.Advance(time.Minute)
	run := flow.Start(t.Context(), loop, flow.Timeout(time.Hour, step.Func(func(as step.Scope, in int) (int, error) {
		if got, _ := as.Context().Deadline(); !got.Equal(loop.Host().Time(time.Minute + time.Hour)) {
			t.Errorf("the deadline is %v", got)
		}
		return in, nil
	})), 1)
	loop.Run()
	if _, err := run.Result(); err != nil {
		t.Error(err)
	}
}

// A limit beyond the range of the clock sets no deadline.
func TestC8LimitBeyondTheClock(t *testing.T) {
	loop := tooltest.New()
	loop.Advance(time.Hour)
	asks := step.Func(func(as step.Scope, in int) (int, error) {
		if at, ok := as.Context().Deadline(); ok {
			t.Errorf("the deadline is %v", at)
		}
		return in, nil
	})
	run := flow.Start(t.Context(), loop, flow.Timeout(math.MaxInt64, asks), 1)
	loop.Run()
	if _, err := run.Result(); err != nil {
		t.Error(err)
	}
}
