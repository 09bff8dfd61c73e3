package loopx_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// lasting returns the body of a timed loop: each iteration writes when it begins and takes one of the given
// times, and the last one breaks.
func lasting(rec *recorder, takes ...time.Duration) step.Step[int, string] {
	index := 0
	begin := step.Func(func(as step.Scope, in int) (int, error) {
		rec.Recordf("%d of %d at %v", index, in, as.Loop().Host().Now())
		return in, nil
	})
	rest := step.DelayBy(func(step.Scope, int) time.Duration { return takes[index] })
	end := step.New(func(step.Scope, int) step.Next[string] {
		if index++; index == len(takes) {
			index = 0
			return loopx.Break[string]()
		}
		return step.Succeed("done")
	})
	return flow.Then(begin, flow.Then(rest, end))
}

const sec = time.Second

func TestEvery(t *testing.T) {
	t.Run("success: at once, then each period, without drift or overlap", func(t *testing.T) {
		var rec recorder
		if v, err := plantest.Run(t, loopx.Every(sec, lasting(&rec, 0, sec/2, sec, 5*sec/2, 0, 0)), 10); v != 10 || err != nil {
			t.Errorf("got %v, %v", v, err)
		}
		rec.Want(t, "0 of 10 at 0s", "1 of 10 at 1s", "2 of 10 at 2s", "3 of 10 at 3s", "4 of 10 at 6s", "5 of 10 at 7s")
	})
	t.Run("a body without input and output needs no adapter", func(t *testing.T) {
		rounds := 0
		sweep := step.Act(func(context.Context) error {
			if rounds++; rounds == 3 {
				return errTurn
			}
			return nil
		})
		for name, p := range map[string]flow.Plan[step.Unit, step.Unit]{
			"Every":    loopx.Every(1, sweep),
			"Schedule": loopx.Schedule(func(after time.Time) time.Time { return after.Add(1) }, sweep),
		} {
			rounds = 0
			if _, err := flow.Run(t.Context(), p, step.Unit{}); !errors.Is(err, errTurn) || rounds != 3 {
				t.Errorf("%s: got %v, %d rounds", name, err, rounds)
			}
		}
	})
	t.Run("a variable of the run lasts from iteration to iteration", func(t *testing.T) {
		sum := step.NewVar[int]("sum")
		add := step.New(func(as step.Scope, in int) step.Next[step.Unit] {
			v, _ := sum.Get(as)
			if v == 3*in {
				return loopx.Break[step.Unit]()
			}
			sum.Set(as, v+in)
			return step.Succeed(step.Unit{})
		})
		read := step.Func(func(as step.Scope, _ int) (int, error) {
			v, _ := sum.Get(as)
			return v, nil
		})
		plantest.WantResult(t, flow.Then(loopx.Every(sec, add), read), 10, 30)
	})
	t.Run("each run counts from its own beginning", func(t *testing.T) {
		var rec recorder
		if _, err := plantest.Run(t, loopx.Repeat(2, flow.Then(step.Map(func(loopx.Iteration[int]) int { return 0 }), flow.Then(
			step.Delay[int](sec/4), loopx.Every(sec, lasting(&rec, 0, sec/8))))), 0); err != nil {
			t.Error(err)
		}
		rec.Want(t, "0 of 0 at 250ms", "1 of 0 at 1.25s", "0 of 0 at 1.625s", "1 of 0 at 2.625s")
	})
	t.Run("error: it ends the loop", func(t *testing.T) {
		_, err := plantest.Run(t, loopx.Every(sec, step.Func(func(step.Scope, int) (int, error) { return 0, errTurn })), 0)
		if !errors.Is(err, errTurn) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cancel while it waits: no timer stays", func(t *testing.T) {
		var rec recorder
		l, run := plantest.Start(t, loopx.Every(sec, lasting(&rec, 0, 0)), 0)
		l.Advance(sec / 2)
		run.Cancel(nil)
		l.Advance(0)
		if _, err := run.Result(); !errors.Is(err, fault.Cancelled) || l.Pending() != 0 {
			t.Errorf("got %v, %d timers", err, l.Pending())
		}
	})
	t.Run("what can't be run", func(t *testing.T) {
		for want, p := range map[string]flow.Plan[int, int]{
			"Every: the period must be positive, got 0s": loopx.Every(0, lasting(new(recorder), 0)),
			"Every: the body is nil":                     loopx.Every[int, string](sec, nil),
			"Schedule: the function is nil":              loopx.Schedule(nil, lasting(new(recorder), 0)),
			"Schedule: the body is nil":                  loopx.Schedule[int, string](time.Time.UTC, nil),
		} {
			if err := p.Err(); !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	})
}

func TestSchedule(t *testing.T) {
	t.Run("success: whenever it says, until it says no more", func(t *testing.T) {
		var rec recorder
		asked := 0
		minutes := func(now time.Time) time.Time {
			if asked++; asked == 4 {
				return time.Time{}
			}
			return now.Add(time.Minute)
		}
		if v, err := plantest.Run(t, loopx.Schedule(minutes, lasting(&rec, 0, sec, 0, 0, 0)), 10); v != 10 || err != nil {
			t.Errorf("got %v, %v", v, err)
		}
		rec.Want(t, "0 of 10 at 1m0s", "1 of 10 at 2m0s", "2 of 10 at 3m1s")
	})
	t.Run("the clock is set back", func(t *testing.T) {
		start := time.Date(2026, 3, 1, 11, 59, 35, 0, time.UTC)
		minutes := func(after time.Time) time.Time { return after.Truncate(time.Minute).Add(time.Minute) }
		for by, want := range map[time.Duration][]string{
			10 * sec:           {"0 of 0 at 25s", "1 of 0 at 1m35s"},
			time.Hour + 10*sec: {"0 of 0 at 25s", "1 of 0 at 35s", "2 of 0 at 1m35s"},
		} {
			var rec recorder
			l := tooltest.New(tooltest.WithHost(tool.WithStart(start)))
			flow.Start(t.Context(), l, loopx.Schedule(minutes, lasting(&rec, sec, sec, sec)), 0)
			l.Advance(25 * sec)
			tool.WithStart(start.Add(-by))(l.Host())
			l.Advance(75 * sec)
			rec.Want(t, want...)
		}
	})
	t.Run("a time that has passed is now", func(t *testing.T) {
		var rec recorder
		past := func(now time.Time) time.Time { return now.Add(-time.Hour) }
		if _, err := plantest.Run(t, loopx.Schedule(past, lasting(&rec, 0, 0)), 0); err != nil {
			t.Error(err)
		}
		rec.Want(t, "0 of 0 at 0s", "1 of 0 at 0s")
	})
	t.Run("E4 panic", func(t *testing.T) {
		_, err := plantest.Run(t, loopx.Schedule(func(time.Time) time.Time { panic("oops") }, lasting(new(recorder), 0)), 0)
		if !errors.Is(err, fault.InternalError) {
			t.Errorf("got %v", err)
		}
	})
}
