package flow_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

var numbers = flow.NewTasks[int, int]("numbers")

// halvesTask returns a task that takes d and adds the two halves of its number.
func halvesTask(d time.Duration) step.Step[int, int] {
	return flow.Then(step.Delay[int](d), step.Func(func(as step.Scope, n int) (int, error) {
		if n > 1 {
			numbers.Go(as, n/2)
			numbers.Go(as, n-n/2)
		}
		return n, nil
	}))
}

func TestTasks(t *testing.T) {
	t.Run("P8 what tasks add, in the order in which it was added", func(t *testing.T) {
		plantest.WantResult(t, numbers.All(2, halvesTask(oneSecond)), []int{5, 2}, []int{5, 2, 2, 3, 1, 1, 1, 1, 1, 2, 1, 1})
	})
	t.Run("P8 after tasks of which one has failed, in the same sequence", func(t *testing.T) {
		failed := flow.Catch(numbers.All(1, step.Func(fail)), func(step.Scope, error) step.Next[[]int] { return step.Succeed([]int{4}) })
		plantest.WantResult(t, flow.Then(failed, numbers.All(1, plantest.Add(1))), []int{1, 2, 3}, []int{5})
	})
	t.Run("P8 nothing to do", func(t *testing.T) { plantest.WantResult(t, numbers.All(2, halvesTask(0)), nil, []int{}) })
	t.Run("P8 with a handler around them", func(t *testing.T) {
		passes := func(step.Scope, error) step.Next[[]int] { return step.Unwind[[]int]() }
		plantest.WantResult(t, flow.Catch(numbers.All(1, halvesTask(0)), passes), []int{2}, []int{2, 1, 1})
	})
	t.Run("P8 in the order of completion", func(t *testing.T) {
		delay := step.New(func(as step.Scope, n int) step.Next[int] {
			return step.Into(as, step.Delay[int](time.Duration(n)*oneSecond), n)
		})
		plantest.WantResult(t, numbers.Completed(3, delay), []int{3, 1, 4, 1, 5}, []int{1, 1, 3, 4, 5})
	})
	t.Run("P8 lanes that have ended begin again", func(t *testing.T) {
		loop, run := plantest.Start(t, numbers.All(4, halvesTask(oneSecond)), []int{8})
		loop.Run()
		if v, err := plantest.Result(t, run); err != nil || len(v) != 15 {
			t.Errorf("got %v, %v", v, err)
		}
		if loop.Now() != 5*oneSecond { // 1, 2 and 4 tasks at once, then 8, of which 4 at once
			t.Errorf("took %v", loop.Now())
		}
	})
	t.Run("P8 a step that is deep in a task", func(t *testing.T) {
		deep := flow.Named("a", flow.Then(plantest.Add(0), sum[int](flow.Par(plantest.Add(0), flow.Shield(flow.Catch(halvesTask(0), nobody))))))
		v, err := plantest.Run(t, numbers.All(1, deep), []int{2})
		if diff := cmp.Diff([]int{4, 2, 2}, v); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	})
	t.Run("P3 the first error ends the others", func(t *testing.T) {
		var rec recorder
		task := step.New(func(as step.Scope, n int) step.Next[int] {
			switch n {
			case 0:
				numbers.Go(as, 1)
				return step.Into(as, rec.waitingInt("hook"), n)
			case 1:
				numbers.Go(as, 2)
				return step.Fail[int](errFirst)
			default:
				rec.Recordf("begun")
				return step.Succeed(n)
			}
		})
		_, err := plantest.Run(t, flow.Then(step.Map(func(n int) []int { return []int{n} }), flow.Then(numbers.All(2, task), step.Map(func([]int) int { return 0 }))), 0)
		if e := plantest.WantCode(t, err, errFirst.Code); e.Path != "1/tasks.1/0" {
			t.Errorf("path %q", e.Path)
		}
		rec.Want(t, "hook")
	})
	t.Run("with Try every task ends", func(t *testing.T) {
		var results = flow.NewTasks[int, flow.Result[int]]("results")
		task := flow.Try(step.Func(func(as step.Scope, n int) (int, error) {
			if n == 2 {
				return 0, errFirst
			}
			if n < 4 {
				results.Go(as, n+2)
			}
			return n, nil
		}))
		v, err := plantest.Run(t, results.All(1, task), []int{1, 2})
		if err != nil || len(v) != 4 && len(v) != 3 || !errors.Is(v[1].Err, errFirst) {
			t.Errorf("got %v, %v", v, err)
		}
	})
	t.Run("C1 a cancel", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, numbers.All(2, rec.waitingInt("hook")), []int{1, 2, 3})
		loop.Advance(oneSecond)
		run.Cancel(nil)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
		rec.Want(t, "hook", "hook")
	})
	t.Run("the same group inside of itself", func(t *testing.T) {
		inner := numbers.All(1, halvesTask(0))
		task := flow.Then(step.Map(func(n int) []int { return []int{n} }), sum[[]int](inner))
		plantest.WantResult(t, numbers.All(2, task), []int{2, 3}, []int{4, 3 + 1 + 2 + 1 + 1})
	})
	t.Run("again in the same memory", func(t *testing.T) {
		p := numbers.All(2, halvesTask(0))
		loop := tooltest.New()
		for range 3 {
			run := flow.Start(t.Context(), loop, flow.Then(p, numbers.Completed(1, plantest.Add(1))), []int{2})
			loop.Run()
			if v, err := plantest.Result(t, run); err != nil || !slices.Equal(v, []int{3, 2, 2}) {
				t.Errorf("got %v, %v", v, err)
			}
		}
	})
}

func TestE7Tasks(t *testing.T) {
	others := flow.NewTasks[int, int]("others")
	adds := func(g flow.Tasks[int, int]) step.Step[int, int] {
		return step.Func(func(as step.Scope, n int) (int, error) {
			if g.Go(as, n) {
				t.Error("it was added")
			}
			return n, nil
		})
	}
	for name, c := range map[string]struct {
		plan flow.Plan[[]int, []int]
		says string
	}{
		"another group": {numbers.All(1, adds(others)), "adds a task to others, but is no part of one"},
		"after it": {
			flow.Then(numbers.All(1, step.Map(func(n int) int { return n })), flow.ParEach(1, adds(numbers))),
			"adds a task to numbers, but is no part of one",
		},
		"the zero one": {numbers.All(1, adds(flow.Tasks[int, int]{})), "adds a task to (the zero Tasks), but is no part of one"},
	} {
		t.Run("E7 "+name, func(t *testing.T) {
			_, err := plantest.Run(t, c.plan, []int{1})
			if plantest.WantCode(t, err, fault.InternalError); !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("E7 a group that is being left", func(t *testing.T) {
		late := flow.Bracket(step.Map(func(n int) int { return n }), step.Delay[int](oneSecond), flow.Then(step.Map(func(e flow.Ended[int, int]) int { return e.Resource }), adds(numbers)))
		loop, run := plantest.Start(t, numbers.All(2, sum[int](flow.Par[int, int](late))), []int{1})
		loop.Advance(oneSecond / 2)
		run.Cancel(nil)
		loop.Run()
		_, err := plantest.Result(t, run)
		if e := plantest.WantCode(t, err, fault.Cancelled); len(e.Secondary) != 1 || fault.CodeOf(e.Secondary[0]) != fault.InternalError ||
			!strings.Contains(e.Secondary[0].Error(), "adds a task to numbers, which is being left") {
			t.Errorf("secondary %v", e.Secondary)
		}
	})
	t.Run("E7 a step that has ended", func(t *testing.T) {
		var ended step.Scope
		keeps := step.Func(func(as step.Scope, n int) (int, error) {
			ended = as //stepvet:ignore the test uses it too late on purpose
			return n, nil
		})
		_, err := plantest.Run(t, flow.Then(numbers.All(1, keeps), step.Map(func(all []int) []int {
			if numbers.Go(ended, 1) {
				t.Error("it was added")
			}
			return all
		})), []int{1})
		plantest.WantCode(t, err, fault.InternalError)
	})
	t.Run("a bound below zero is none", func(t *testing.T) {
		var now, most int
		count := func(change int) step.Step[int, int] {
			return step.Map(func(n int) int { now += change; most = max(most, now); return n })
		}
		s := flow.Then(count(1), flow.Then(step.Delay[int](time.Millisecond), count(-1)))
		out, err := plantest.Run(t, numbers.All(-1, s), make([]int, 100))
		if err != nil || len(out) != 100 || most != 100 {
			t.Error(err, len(out), most)
		}
	})
	t.Run("Plan.Err", func(t *testing.T) {
		for _, p := range []flow.Plan[[]int, []int]{
			numbers.All(0, halvesTask(0)), numbers.All(1, nil), {}, flow.Tasks[int, int]{}.All(1, halvesTask(0)),
		} {
			if p.Err() == nil {
				t.Error("it can be run")
			}
		}
	})
}

// P8: each task runs once, at most bound at a time, in the order in which they were added.
func TestP8TasksAreATree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bound := rapid.IntRange(1, 5).Draw(rt, "bound")
		children := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 60).Draw(rt, "children")
		delays := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 7).Draw(rt, "delays")
		seeds := rapid.IntRange(0, 4).Draw(rt, "seeds")
		made, now, most := 0, 0, 0
		var begun, in []int
		for range seeds {
			in = append(in, made)
			made++
		}
		task := step.New(func(as step.Scope, n int) step.Next[int] {
			begun = append(begun, n)
			now++
			most = max(most, now)
			end := step.Func(func(as step.Scope, n int) (int, error) {
				now--
				for n < len(children) && children[n] > 0 {
					children[n]--
					numbers.Go(as, made)
					made++
				}
				return n, nil
			})
			return step.Into(as, flow.Then(step.Delay[int](time.Duration(delays[n%len(delays)])), end), n)
		})
		out, err := plantest.Run(t, numbers.All(bound, task), in)
		want := make([]int, made)
		for i := range want {
			want[i] = i
		}
		if err != nil || !slices.Equal(out, want) || !slices.Equal(begun, want) && made > 0 || most > bound {
			rt.Fatalf("%v, %v, begun %v, at most %d of %d", out, err, begun, most, bound)
		}
	})
}

// The memory of a task is used again: 100,001 tasks with empty results allocate at most 100,000 bytes.
func TestTasksAreFlat(t *testing.T) {
	small := flow.NewTasks[int, struct{}]("small")
	task := step.Func(func(as step.Scope, n int) (struct{}, error) {
		if n > 0 {
			small.Go(as, n-1)
		}
		return struct{}{}, nil
	})
	p := small.All(8, task)
	run := func(n int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out, err := flow.Run(t.Context(), p, []int{n})
		runtime.ReadMemStats(&after)
		if err != nil || len(out) != n+1 {
			t.Fatalf("got %d, %v", len(out), err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	run(100)
	if took := run(100_000); took > 100_000 {
		t.Errorf("%d bytes", took)
	}
}
