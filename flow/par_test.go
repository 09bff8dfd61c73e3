package flow_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestPar(t *testing.T) {
	t.Run("P1 started in order, results by position, input to each", func(t *testing.T) {
		var rec recorder
		branch := func(name string, d time.Duration, n int) step.Step[int, int] {
			return flow.Then(flow.Then(rec.passing(name), step.Delay[int](d)), flow.Then(rec.passing(name+" ends"), plantest.Add(n)))
		}
		plantest.WantResult(t, flow.Par(branch("a", 3*time.Second, 1), branch("b", 1*time.Second, 2), branch("c", 2*time.Second, 3)), 10, []int{11, 12, 13})
		rec.Want(t, "a", "b", "c", "b ends", "c ends", "a ends")
	})

	t.Run("P1 shared state, levels of their own", func(t *testing.T) {
		count := step.NewVar[int]("count")
		inc := step.Func(func(as step.Scope, in int) (int, error) {
			n, _ := count.Get(as)
			count.Set(as, n+1)
			return n, nil
		})
		plantest.WantResult(t, flow.Par(inc, flow.Then(step.Delay[int](time.Second), inc), flow.Then(flow.Par2(inc, inc), step.Map(func(p flow.Pair[int, int]) int { return p.B }))), 1, []int{0, 3, 2})
	})

	t.Run("P2 no branches", func(t *testing.T) { plantest.WantResult(t, flow.Par[int, int](), 1, []int{}) })
	t.Run("P2 one branch", func(t *testing.T) { plantest.WantResult(t, flow.Par(plantest.Add(1)), 1, []int{2}) })
	t.Run("P2 a thousand branches", func(t *testing.T) {
		branches := make([]step.Step[int, int], 1000)
		want := make([]int, len(branches))
		for i := range branches {
			want[i] = i
			branches[i] = plantest.Add(i)
			if i%3 == 0 {
				branches[i] = flow.Then(step.Delay[int](time.Duration(1000-i)*time.Millisecond), plantest.Add(i))
			}
		}
		p := flow.Par(branches...)
		for range 2 {
			plantest.WantResult(t, p, 0, want)
		}
	})

	t.Run("P2 succeeds when all have", func(t *testing.T) {
		loop, run := plantest.Start(t, flow.Par(step.Delay[int](time.Second), step.Delay[int](time.Minute)), 1)
		loop.Advance(59 * time.Second)
		if _, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
			t.Errorf("got %v", err)
		}
		loop.Run()
		if vs, err := plantest.Result(t, run); err != nil || !cmp.Equal(vs, []int{1, 1}) {
			t.Errorf("got %v, %v", vs, err)
		}
	})

	t.Run("P3 the failed branch first, then the others in order, then the step", func(t *testing.T) {
		var rec recorder
		p := rec.recordError("step", flow.OnCancel(sum(flow.Par(
			rec.recordError("a", flow.OnCancel(rec.waitingInt("a leaf"), func(step.Scope) { rec.Recordf("a") })),
			rec.recordError("b", flow.OnCancel(failAfter(time.Second, errFirst), func(step.Scope) { rec.Recordf("b") })),
			rec.recordError("c", flow.OnCancel(rec.waitingInt("c leaf"), func(step.Scope) { rec.Recordf("c") })),
		)), func(step.Scope) { rec.Recordf("step's hook") }))
		loop, run := plantest.Start(t, p, 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		if e := plantest.WantCode(t, err, errFirst.Code); e.Path != "0/0/par.1/0/1" {
			t.Errorf("path %q", e.Path)
		}
		rec.Want(t, "b", "b: First", "a leaf", "a", "c leaf", "c", "step's hook", "step: First")
	})

	t.Run("P3 a branch that recovers inside disturbs nobody", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Par(step.Delay[int](time.Minute), rec.recoverWith("inside", 7, failAfter(time.Second, errFirst))), 1, []int{1, 7})
	})

	t.Run("P3 the handler of the step recovers", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Then(rec.recoverWith("step", 7, sum(flow.Par(rec.waitingInt("a"), failAfter(time.Second, errFirst)))), plantest.Add(1)), 1, 8)
		rec.Want(t, "a", "step: First")
	})

	t.Run("P3 branches not started never start", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, flow.Par(rec.passing("a"), step.Func(fail), rec.passing("c")), 1)
		plantest.WantCode(t, err, errFirst.Code)
		rec.Want(t, "a")
	})

	t.Run("P3 errors of siblings are secondary", func(t *testing.T) {
		panicking := flow.OnCancel(step.Delay[int](time.Hour), func(step.Scope) { panic(errSecond) })
		loop, run := plantest.Start(t, flow.Par(panicking, failAfter(time.Second, errFirst), panicking), 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		e := plantest.WantCode(t, err, errFirst.Code)
		if len(e.Secondary) != 2 || !errors.Is(e.Secondary[0], errSecond) || !errors.Is(e.Secondary[1], errSecond) {
			t.Errorf("secondary: %v", e.Secondary)
		}
	})

	t.Run("P3 an error on its way in a sibling becomes secondary", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *errorLog) {
			var rec recorder
			leaving := rec.recordError("sibling", sum(flow.Par(failAfter(time.Millisecond, errSecond), stopsAfter(500*time.Millisecond))))
			run := flow.Start(t.Context(), loop, flow.Par(leaving, failAfter(10*time.Millisecond, errFirst)), 1)
			_, err := run.Wait(t.Context())
			e := plantest.WantCode(t, err, errFirst.Code)
			if len(e.Secondary) != 1 || !errors.Is(e.Secondary[0], errSecond) {
				t.Errorf("secondary: %v", e.Secondary)
			}
			rec.Want(t)
		})
	})

	t.Run("P3, C7 every goroutine is told to stop at once", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *errorLog) {
			began := time.Now()
			told := make(chan time.Duration, 3)
			branch := step.Await(func(ctx context.Context, in int) (int, error) {
				<-ctx.Done()
				told <- time.Since(began)
				if !errors.Is(context.Cause(ctx), errFirst) {
					t.Errorf("told to stop by %v", context.Cause(ctx))
				}
				virtualSleep(500 * time.Millisecond)
				return in, nil
			})
			run := flow.Start(t.Context(), loop, flow.Par(branch, failAfter(10*time.Millisecond, errFirst), branch, sum(flow.Par(branch))), 1)
			_, err := run.Wait(t.Context())
			plantest.WantCode(t, err, errFirst.Code)
			for range 3 {
				if at := <-told; at != 10*time.Millisecond {
					t.Errorf("told after %v", at)
				}
			}
			if took := time.Since(began); took != 510*time.Millisecond {
				t.Errorf("ended after %v", took)
			}
		})
	})

	t.Run("C1 cancelled in order, also what has not begun", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, flow.Par(rec.waitingInt("a"), step.Map(func(in int) int { rec.Recordf("b"); return in }), rec.waitingInt("c")), 1)
		loop.Run()
		run.Cancel(nil)
		loop.Run()
		rec.Want(t, "b", "a", "c")
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
	})

	t.Run("C3 a timeout inside one branch is its own", func(t *testing.T) {
		var rec recorder
		p := flow.Par(step.Delay[int](time.Minute), rec.recoverWith("inside", 3, flow.Timeout(time.Second, sum(flow.Par(rec.waitingInt("x"), rec.waitingInt("y"))))))
		plantest.WantResult(t, p, 1, []int{1, 3})
		rec.Want(t, "x", "y", "inside: Timeout")
	})
}

func TestParMixed(t *testing.T) {
	str := step.Map(func(in int) string { return string(rune('a' + in)) })
	plantest.WantResult(t, flow.Par2(plantest.Add(1), flow.Then(step.Delay[int](time.Second), str)), 1, flow.Pair[int, string]{A: 2, B: "b"})
	even := step.Map(func(in int) bool { return in%2 == 0 })
	plantest.WantResult(t, flow.Par3(plantest.Add(1), str, even), 1, flow.Triple[int, string, bool]{A: 2, B: "b", C: false})
	_, err := plantest.Run(t, flow.Par2(str, step.Func(fail)), 1)
	plantest.WantCode(t, err, errFirst.Code)
	_, err = plantest.Run(t, flow.Par3(str, even, step.Func(fail)), 1)
	plantest.WantCode(t, err, errFirst.Code)
}

// The Pars are so deep and wide that results of wrong branches would show.
func TestParNested(t *testing.T) {
	p := flow.Of(step.Delay[int](time.Millisecond))
	for range 5 {
		p = sum(flow.Par(p, flow.Then(step.Delay[int](2*time.Millisecond), p), flow.Then(p, plantest.Add(1))))
	}
	// each level multiplies by three, and the last branch adds one more
	want := 1
	for range 5 {
		want = 3*want + 1
	}
	plantest.WantResult(t, p, 1, want)

	loop, run := plantest.Start(t, flow.Par(p, failAfter(5*time.Millisecond, errFirst)), 1)
	loop.Run()
	_, err := plantest.Result(t, run)
	plantest.WantCode(t, err, errFirst.Code)
	plantest.WantResult(t, p, 1, want) // may use the memory of the aborted run
}

// P1: the first elements of a ParEach begin one right after the other, before the branches behind it.
func TestParEachBeginsInOrder(t *testing.T) {
	var rec recorder
	notes := func(of string) step.Step[[]string, []string] {
		return flow.ParEach(3, step.New(func(as step.Scope, name string) step.Next[string] {
			name = of + name
			rec.Recordf("%s", name)
			as.SetCancel(func() { rec.Recordf("~%s", name) })
			return step.Wait(as, func(done step.Done[string]) {
				_, _ = as.Loop().Deferred(time.Second, func() { done.Succeed(name) })
			})
		}))
	}
	loop, run := plantest.Start(t, flow.Par(notes("a"), notes("b")), []string{"1", "2", "3", "4"})
	loop.Advance(1500 * time.Millisecond)
	run.Cancel(nil)
	loop.Run()
	rec.Want(t, "a1", "a2", "a3", "b1", "b2", "b3", "a4", "b4", "~a4", "~b4")

	rec = recorder{}
	loop, run = plantest.Start(t, flow.Par(notes("a"), notes("b")), []string{"1", "2"})
	loop.Advance(500 * time.Millisecond)
	run.Cancel(nil)
	loop.Run()
	rec.Want(t, "a1", "a2", "b1", "b2", "~a1", "~a2", "~b1", "~b2")
}
