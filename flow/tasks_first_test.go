package flow_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
)

// elapse is a task that takes as many seconds as its number. If the number is negative, it fails after so many seconds.
var elapse = step.New(func(as step.Scope, n int) step.Next[int] {
	took := time.Duration(max(n, -n)) * oneSecond
	return step.Into(as, flow.Then(step.Delay[int](took), step.Func(func(_ step.Scope, n int) (int, error) {
		if n < 0 {
			return 0, fmt.Errorf("task %d", n)
		}
		return n, nil
	})), n)
})

func TestTasksFirst(t *testing.T) {
	t.Run("P6 P8 the first that succeeds", func(t *testing.T) {
		for _, c := range []struct {
			bound, want int
			in          []int
			seconds     int
		}{
			{3, 1, []int{4, 1, 3}, 1},
			{1, 4, []int{4, 1, 3}, 4},
			{2, 5, []int{-1, 5, -2, 9}, 5}, // the task of 9 begins after 3 s
			{1, 2, []int{-1, -1, -1, 2, 1}, 5},
			{9, 3, []int{-1, -2, 3}, 3},
			{2, 1, []int{1, 1, 1}, 1},
		} {
			loop, run := plantest.Start(t, numbers.First(c.bound, elapse), c.in)
			loop.Run()
			if v, err := plantest.Result(t, run); v != c.want || err != nil || loop.Now() != time.Duration(c.seconds)*oneSecond {
				t.Errorf("%+v: got %d, %v after %v", c, v, err, loop.Now())
			}
		}
	})
	t.Run("P6 all of them fail", func(t *testing.T) {
		for bound := 1; bound < 5; bound++ {
			_, err := plantest.Run(t, flow.Then(step.Map(func(int) []int { return []int{-3, -1, -2} }), numbers.First(bound, elapse)), 0)
			e, ok := errors.AsType[*fault.Error](err)
			if !ok || len(e.Secondary) != 2 {
				t.Fatalf("bound %d: got %v", bound, err)
			}
			var all []string
			for _, err := range append(slices.Clone(e.Secondary), e.Cause) {
				all = append(all, err.Error())
			}
			if bound == 1 && (e.Path != "1/tasks.2/0/1" || e.Cause.Error() != "task -2") || bound >= 3 && e.Path != "1/tasks.0/0/1" {
				t.Errorf("bound %d: the error is %s of %s", bound, all, e.Path)
			}
		}
	})
	t.Run("a task that fails has added one that succeeds", func(t *testing.T) {
		task := step.Func(func(as step.Scope, n int) (int, error) {
			if n < 20 {
				numbers.Go(as, n+1)
				numbers.Go(as, n+1)
				return 0, errFirst
			}
			return n, nil
		})
		for bound := 1; bound < 5; bound++ {
			v, err := plantest.Run(t, flow.Then(step.Map(func(n int) []int { return []int{n} }), numbers.First(bound, task)), 17)
			if v != 20 || err != nil {
				t.Errorf("got %d, %v", v, err)
			}
		}
	})
	t.Run("P6 the others are left, and none begins", func(t *testing.T) {
		var rec recorder
		task := step.New(func(as step.Scope, n int) step.Next[int] {
			rec.Recordf("begin")
			if n == 1 {
				return step.Into(as, step.Delay[int](oneSecond), n)
			}
			return step.Into(as, rec.waitingInt("hook"), n)
		})
		loop, run := plantest.Start(t, flow.Then(numbers.First(2, task), rec.passing("then")), []int{0, 1, 2})
		loop.Run()
		if v, err := plantest.Result(t, run); v != 1 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
		rec.Want(t, "begin", "begin", "hook", "then")
	})
	t.Run("nothing to do", func(t *testing.T) {
		loop, run := plantest.Start(t, numbers.First(2, elapse), nil)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.InvalidRequest)
	})
	t.Run("C1 a cancel", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, numbers.First(2, rec.waitingInt("hook")), []int{1, 2, 3})
		loop.Advance(oneSecond)
		run.Cancel(nil)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
		rec.Want(t, "hook", "hook")
	})
	t.Run("an observer is told who has won", func(t *testing.T) {
		var won []int
		ctx := observe.With(t.Context(), observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
			return ctx, func(e observe.Event) { won = append(won, e.Winners()...) }
		}))
		_, err := flow.Run(ctx, numbers.First(1, step.Func(func(_ step.Scope, n int) (int, error) {
			if n < 0 {
				return 0, errFirst
			}
			return n, nil
		})), []int{-1, -1, 5})
		if err != nil || !slices.Equal(won, []int{2}) {
			t.Errorf("%v, won %v", err, won)
		}
	})
	t.Run("P6 two succeed before it is decided", func(t *testing.T) {
		for _, order := range [][]int{{0, 1}, {1, 0}, {2, 0}, {1, 2, 0}} {
			var dones [3]step.Done[int]
			var left, won []int
			var told []string
			task := flow.OnCancel(flow.Named("task", step.New(func(as step.Scope, n int) step.Next[int] {
				as.SetCancel(func() { left = append(left, n) })
				return step.Wait(as, func(done step.Done[int]) { dones[n] = done })
			})), func(step.Scope) { left = append(left, -1) })
			ctx := observe.With(t.Context(), observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
				return ctx, func(e observe.Event) {
					won = append(won, e.Winners()...)
					if e.Name() == "task" && e.Kind == observe.Resumed {
						told = append(told, e.Path())
					}
				}
			}))
			loop := plantest.NewLoop(t)
			run := flow.Start(ctx, loop, numbers.First(3, task), []int{0, 1, 2})
			loop.Run()
			for _, n := range order {
				if !dones[n].Succeed(n + 10) {
					t.Errorf("task %d can't succeed", n)
				}
			}
			loop.Run()
			var others []int // what has succeeded isn't left (C2)
			for n := range dones {
				if !slices.Contains(order, n) {
					others = append(others, n, -1)
				}
			}
			resumed := make([]string, len(order))
			for i, n := range order {
				resumed[i] = fmt.Sprintf("0/tasks.%d/0/0", n)
			}
			v, err := plantest.Result(t, run)
			if v != order[0]+10 || err != nil || !slices.Equal(won, order[:1]) || !slices.Equal(left, others) || !slices.Equal(told, resumed) {
				t.Errorf("%d succeed: %d, %v, won %d, left %d, resumed %s", order, v, err, won, left, told)
			}
		}
	})
	t.Run("again in the same memory", func(t *testing.T) {
		p := numbers.First(2, elapse)
		again := flow.Then(flow.Carry(flow.Try(p)), flow.Then(step.Map(func(p flow.Pair[[]int, flow.Result[int]]) []int {
			return append(p.A[1:], p.B.Value+1)
		}), p))
		for range 3 {
			loop, run := plantest.Start(t, again, []int{-1, -2})
			loop.Run()
			if v, err := plantest.Result(t, run); v != 1 || err != nil {
				t.Errorf("got %d, %v", v, err)
			}
		}
	})
}

// P8: the result is that of the task that succeeds first, as in a simple simulation.
func TestP8TasksFirstIsTheEarliest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bound := rapid.IntRange(1, 4).Draw(rt, "bound")
		in := rapid.SliceOfN(rapid.IntRange(-5, 5).Filter(func(n int) bool { return n != 0 }), 1, 12).Draw(rt, "tasks")
		free := make([]int, bound) // when each place is free
		var best []int             // tasks that succeed first, at the same moment
		at := 1 << 30
		for _, n := range in {
			slices.Sort(free)
			if free[0] >= at {
				break
			}
			free[0] += max(n, -n)
			switch {
			case n < 0 || free[0] > at:
			case free[0] < at:
				best, at = []int{n}, free[0]
			default:
				best = append(best, n)
			}
		}
		loop, run := plantest.Start(t, numbers.First(bound, elapse), in)
		loop.Run()
		v, err := plantest.Result(t, run)
		if best == nil {
			e, ok := errors.AsType[*fault.Error](err)
			if !ok || len(e.Secondary) != len(in)-1 {
				rt.Fatalf("%v, %d at once: got %d, %v", in, bound, v, err)
			}
			return
		}
		if !slices.Contains(best, v) || err != nil || loop.Now() != time.Duration(at)*oneSecond {
			rt.Fatalf("%v, %d at once: got %d, %v after %v, want one of %d after %d s", in, bound, v, err, loop.Now(), best, at)
		}
	})
}

// A large bound takes less than a megabyte: branches are made as they are needed.
func TestTasksBoundIsFree(t *testing.T) {
	for name, p := range map[string]flow.Plan[[]int, int]{
		"all":   flow.Then(numbers.All(10_000_000, halvesTask(0)), step.Map(func(all []int) int { return len(all) })),
		"first": numbers.First(10_000_000, halvesTask(0)),
	} {
		var before, later runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := flow.Run(t.Context(), p, []int{10}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&later)
		if took := later.TotalAlloc - before.TotalAlloc; took > 1_000_000 {
			t.Errorf("%s: %d bytes for 19 tasks", name, took)
		}
	}
}
