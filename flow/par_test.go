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
		var b book
		branch := func(name string, d time.Duration, n int) step.Step[int, int] {
			return flow.Then(flow.Then(b.says(name), takes(d)), flow.Then(b.says(name+" ends"), adds(n)))
		}
		plantest.Gives(t, flow.Par(branch("a", 3*time.Second, 1), branch("b", 1*time.Second, 2), branch("c", 2*time.Second, 3)), 10, []int{11, 12, 13})
		b.is(t, "a", "b", "c", "b ends", "c ends", "a ends")
	})

	t.Run("P1 shared state, levels of their own", func(t *testing.T) {
		count := step.NewVar[int]("count")
		inc := step.Func(func(as step.Scope, in int) (int, error) {
			n, _ := count.Get(as)
			count.Set(as, n+1)
			return n, nil
		})
		plantest.Gives(t, flow.Par(inc, flow.Then(takes(time.Second), inc), flow.Then(flow.Par2(inc, inc), step.Map(func(p flow.Pair[int, int]) int { return p.B }))), 1, []int{0, 3, 2})
	})

	t.Run("P2 no branches", func(t *testing.T) { plantest.Gives(t, flow.Par[int, int](), 1, []int{}) })
	t.Run("P2 one branch", func(t *testing.T) { plantest.Gives(t, flow.Par(adds(1)), 1, []int{2}) })
	t.Run("P2 a thousand branches", func(t *testing.T) {
		branches := make([]step.Step[int, int], 1000)
		want := make([]int, len(branches))
		for i := range branches {
			want[i] = i
			branches[i] = adds(i)
			if i%3 == 0 {
				branches[i] = flow.Then(takes(time.Duration(1000-i)*time.Millisecond), adds(i))
			}
		}
		p := flow.Par(branches...)
		for range 2 {
			plantest.Gives(t, p, 0, want)
		}
	})

	t.Run("P2 succeeds when all have", func(t *testing.T) {
		loop, run := plantest.Start(t, flow.Par(takes(time.Second), takes(time.Minute)), 1)
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
		var b book
		p := b.hears("step", flow.OnCancel(sum(flow.Par(
			b.hears("a", flow.OnCancel(b.stalls("a leaf"), func(step.Scope) { b.say("a") })),
			b.hears("b", flow.OnCancel(breaks(time.Second, errFirst), func(step.Scope) { b.say("b") })),
			b.hears("c", flow.OnCancel(b.stalls("c leaf"), func(step.Scope) { b.say("c") })),
		)), func(step.Scope) { b.say("step's hook") }))
		loop, run := plantest.Start(t, p, 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		if e := plantest.HasCode(t, err, errFirst.Code); e.Path != "0/0/par.1/0/1" {
			t.Errorf("path %q", e.Path)
		}
		b.is(t, "b", "b: First", "a leaf", "a", "c leaf", "c", "step's hook", "step: First")
	})

	t.Run("P3 a branch that recovers inside disturbs nobody", func(t *testing.T) {
		var b book
		plantest.Gives(t, flow.Par(takes(time.Minute), b.mends("inside", 7, breaks(time.Second, errFirst))), 1, []int{1, 7})
	})

	t.Run("P3 the handler of the step recovers", func(t *testing.T) {
		var b book
		plantest.Gives(t, flow.Then(b.mends("step", 7, sum(flow.Par(b.stalls("a"), breaks(time.Second, errFirst)))), adds(1)), 1, 8)
		b.is(t, "a", "step: First")
	})

	t.Run("P3 branches not started never start", func(t *testing.T) {
		var b book
		_, err := plantest.Run(t, flow.Par(b.says("a"), step.Func(fail), b.says("c")), 1)
		plantest.HasCode(t, err, errFirst.Code)
		b.is(t, "a")
	})

	t.Run("P3 errors of siblings are secondary", func(t *testing.T) {
		panicking := flow.OnCancel(takes(time.Hour), func(step.Scope) { panic(errSecond) })
		loop, run := plantest.Start(t, flow.Par(panicking, breaks(time.Second, errFirst), panicking), 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		e := plantest.HasCode(t, err, errFirst.Code)
		if len(e.Secondary) != 2 || !errors.Is(e.Secondary[0], errSecond) || !errors.Is(e.Secondary[1], errSecond) {
			t.Errorf("secondary: %v", e.Secondary)
		}
	})

	t.Run("P3 an error on its way in a sibling becomes secondary", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *reports) {
			var b book
			leaving := b.hears("sibling", sum(flow.Par(breaks(time.Millisecond, errSecond), lingers(500*time.Millisecond))))
			run := flow.Start(t.Context(), loop, flow.Par(leaving, breaks(10*time.Millisecond, errFirst)), 1)
			_, err := run.Wait(t.Context())
			e := plantest.HasCode(t, err, errFirst.Code)
			if len(e.Secondary) != 1 || !errors.Is(e.Secondary[0], errSecond) {
				t.Errorf("secondary: %v", e.Secondary)
			}
			b.is(t)
		})
	})

	t.Run("P3, C7 every goroutine is told to stop at once", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *reports) {
			began := time.Now()
			told := make(chan time.Duration, 3)
			branch := step.Await(func(ctx context.Context, in int) (int, error) {
				<-ctx.Done()
				told <- time.Since(began)
				if !errors.Is(context.Cause(ctx), errFirst) {
					t.Errorf("told to stop by %v", context.Cause(ctx))
				}
				doze(500 * time.Millisecond)
				return in, nil
			})
			run := flow.Start(t.Context(), loop, flow.Par(branch, breaks(10*time.Millisecond, errFirst), branch, sum(flow.Par(branch))), 1)
			_, err := run.Wait(t.Context())
			plantest.HasCode(t, err, errFirst.Code)
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
		var b book
		loop, run := plantest.Start(t, flow.Par(b.stalls("a"), step.Map(func(in int) int { b.say("b"); return in }), b.stalls("c")), 1)
		loop.Run()
		run.Cancel(nil)
		loop.Run()
		b.is(t, "b", "a", "c")
		_, err := plantest.Result(t, run)
		plantest.HasCode(t, err, fault.Cancelled)
	})

	t.Run("C3 a timeout inside one branch is its own", func(t *testing.T) {
		var b book
		p := flow.Par(takes(time.Minute), b.mends("inside", 3, flow.Timeout(time.Second, sum(flow.Par(b.stalls("x"), b.stalls("y"))))))
		plantest.Gives(t, p, 1, []int{1, 3})
		b.is(t, "x", "y", "inside: Timeout")
	})
}

func TestParMixed(t *testing.T) {
	str := step.Map(func(in int) string { return string(rune('a' + in)) })
	plantest.Gives(t, flow.Par2(adds(1), flow.Then(takes(time.Second), str)), 1, flow.Pair[int, string]{A: 2, B: "b"})
	even := step.Map(func(in int) bool { return in%2 == 0 })
	plantest.Gives(t, flow.Par3(adds(1), str, even), 1, flow.Triple[int, string, bool]{A: 2, B: "b", C: false})
	_, err := plantest.Run(t, flow.Par2(str, step.Func(fail)), 1)
	plantest.HasCode(t, err, errFirst.Code)
	_, err = plantest.Run(t, flow.Par3(str, even, step.Func(fail)), 1)
	plantest.HasCode(t, err, errFirst.Code)
}

// Par inside of Par, so deep and wide that results of wrong branches would show.
func TestParNested(t *testing.T) {
	p := flow.Of(takes(time.Millisecond))
	for range 5 {
		p = sum(flow.Par(p, flow.Then(takes(2*time.Millisecond), p), flow.Then(p, adds(1))))
	}
	// each level multiplies by three, and the last branch adds one more
	want := 1
	for range 5 {
		want = 3*want + 1
	}
	plantest.Gives(t, p, 1, want)

	loop, run := plantest.Start(t, flow.Par(p, breaks(5*time.Millisecond, errFirst)), 1)
	loop.Run()
	_, err := plantest.Result(t, run)
	plantest.HasCode(t, err, errFirst.Code)
	plantest.Gives(t, p, 1, want) // uses the memory of the aborted run
}

// P1: each lane of a ParEach begins right behind the one before it, before branches that have begun later.
func TestParEachBeginsInOrder(t *testing.T) {
	var b book
	notes := func(of string) step.Step[[]string, []string] {
		return flow.ParEach(3, step.New(func(as step.Scope, name string) step.Next[string] {
			name = of + name
			b.say("%s", name)
			as.SetCancel(func() { b.say("~%s", name) })
			return step.Wait(as, func(done step.Done[string]) {
				_, _ = as.Loop().Deferred(time.Second, func() { done.Succeed(name) })
			})
		}))
	}
	loop, run := plantest.Start(t, flow.Par(notes("a"), notes("b")), []string{"1", "2", "3", "4"})
	loop.Advance(1500 * time.Millisecond)
	run.Cancel(nil)
	loop.Run()
	b.is(t, "a1", "a2", "a3", "b1", "b2", "b3", "a4", "b4", "~a4", "~b4")

	b = book{}
	loop, run = plantest.Start(t, flow.Par(notes("a"), notes("b")), []string{"1", "2"})
	loop.Advance(500 * time.Millisecond)
	run.Cancel(nil)
	loop.Run()
	b.is(t, "a1", "a2", "b1", "b2", "~a1", "~a2", "~b1", "~b2")
}
