package flow_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestHedge(t *testing.T) {
	var rec recorder
	var clock func() time.Duration
	says := func(name string) step.Step[int, int] {
		return step.Map(func(in int) int {
			rec.Recordf("%s at %v", name, clock())
			return in
		})
	}
	for _, c := range []struct {
		name     string
		branches []step.Step[int, int]
		want     int
		err      error
		took     time.Duration
		said     []string
	}{
		{"P6 a quick one has no rival", []step.Step[int, int]{later(oneSecond/2, 1), plantest.Add(2)}, 2, nil, oneSecond / 2, []string{"0 at 0s"}},
		{"P6 one that is slow has", []step.Step[int, int]{later(time.Hour, 1), later(time.Hour, 2), later(oneSecond/2, 3)}, 4, nil, 5 * oneSecond / 2, []string{"0 at 0s", "1 at 1s", "2 at 2s"}},
		{"P6 the first may still win", []step.Step[int, int]{later(3*oneSecond/2, 1), later(time.Hour, 2), plantest.Add(3)}, 2, nil, 3 * oneSecond / 2, []string{"0 at 0s", "1 at 1s"}},
		{"P6 an error has the next begin", []step.Step[int, int]{failAfter(oneSecond/4, errFirst), later(time.Hour, 2), later(oneSecond/2, 3)}, 4, nil, 7 * oneSecond / 4, []string{"0 at 0s", "1 at 250ms", "2 at 1.25s"}},
		{"P6 all fail", []step.Step[int, int]{failAfter(oneSecond/4, errFirst), failAfter(oneSecond/4, errSecond)}, 0, errSecond, oneSecond / 2, []string{"0 at 0s", "1 at 250ms"}},
		{"P6 only one", []step.Step[int, int]{later(3*oneSecond, 1)}, 2, nil, 3 * oneSecond, []string{"0 at 0s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec = recorder{}
			branches := make([]step.Step[int, int], len(c.branches))
			for i, s := range c.branches {
				branches[i] = flow.Then(says(fmt.Sprint(i)), s)
			}
			loop, run := plantest.Start(t, flow.Hedge(oneSecond, branches...), 1)
			clock = loop.Now
			until(loop, run)
			if got, err := plantest.Result(t, run); got != c.want || !errors.Is(err, c.err) {
				t.Errorf("got %v, %v", got, err)
			}
			if loop.Now() != c.took {
				t.Errorf("took %v, want %v", loop.Now(), c.took)
			}
			rec.Want(t, c.said...)
		})
	}

	t.Run("P6 a handler of the step may have a limit of its own", func(t *testing.T) {
		p := flow.Catch(flow.Hedge(oneSecond, failAfter(oneSecond/2, errFirst), failAfter(oneSecond/2, errSecond)), func(as step.Scope, _ error) step.Next[int] {
			as.SetTimeout(time.Minute)
			return step.Into(as, step.Delay[int](time.Hour), 1)
		})
		loop, run := plantest.Start(t, p, 1)
		until(loop, run)
		if _, err := plantest.Result(t, run); err == nil || loop.Now() != time.Minute+oneSecond {
			t.Errorf("got %v after %v", err, loop.Now())
		}
	})
}

func until[Out any](loop *tooltest.Loop, r *flow.Running[Out]) {
	loop.RunUntil(func() bool {
		_, err := r.Result()
		return !errors.Is(err, flow.ErrRunning)
	})
}
