package loopx_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

var turns = loopx.NewLabel[int]("turns")

var leaves = map[string]func() step.Next[int]{
	"break":      loopx.Break[int],
	"continue":   loopx.Continue[int],
	"breakTo":    func() step.Next[int] { return loopx.BreakTo[int](turns, 1) },
	"continueTo": func() step.Next[int] { return loopx.ContinueTo[int](turns, 1) },
}

// leftBy runs a loop in whose first iteration one of several branches returns leave(). It returns the causes of the
// contexts that this has ended.
func leftBy(t *testing.T, leave func() step.Next[int]) map[string]error {
	t.Helper()
	contexts := map[string]context.Context{}
	var goroutine context.Context
	keep := func(name string, as step.Scope) { contexts[name] = as.Context() }
	waits := step.New(func(as step.Scope, _ int) step.Next[int] {
		keep("waiting sibling", as)
		as.SetCancel(func() { keep("hook of a sibling", as) })
		return step.Wait[int](as, nil)
	})
	holds := step.New(func(as step.Scope, in int) step.Next[int] {
		keep("step around a sibling's step", as)
		return step.Into(as, waits, in)
	})
	awaits := step.Await(func(ctx context.Context, in int) (int, error) {
		goroutine = ctx
		<-ctx.Done()
		return in, context.Cause(ctx)
	})
	other := flow.AwaitRun(func(ctx context.Context, in int) *flow.Running[int] {
		contexts["start of AwaitRun"] = ctx
		return flow.Start(ctx, ctx.Value(loopKey{}).(tool.Tool), waits, in)
	})
	lets := step.Delay[int](1)
	leaver := flow.Then(lets, step.New(func(as step.Scope, _ int) step.Next[int] {
		keep("step that leaves", as)
		step.StackCleanup(as, func(*int) { keep("cleanup of the step that leaves", as) })
		return leave()
	}))
	turn := step.New(func(as step.Scope, turn loopx.Iteration[int]) step.Next[int] {
		if turn.Index > 0 {
			return loopx.Break[int]()
		}
		keep("turn", as)
		all := flow.Then(flow.Par(holds, awaits, other, leaver), step.Map(func([]int) int { return 0 }))
		return step.Into(as, all, turn.Carry)
	})
	causes := map[string]error{}
	synctest.Test(t, func(t *testing.T) {
		loop := tool.Start(tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
		ctx := context.WithValue(t.Context(), loopKey{}, loop)
		_, err := flow.Start(ctx, loop, loopx.Labelled(turns, loopx.Repeat(2, turn)), 0).Wait(ctx)
		if err != nil {
			t.Errorf("the loop has ended with %v", err)
		}
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		contexts["goroutine"] = goroutine
		for name, ctx := range contexts {
			causes[name] = context.Cause(ctx)
		}
	})
	return causes
}

type loopKey struct{}

// C9: the cause of a context whose step was left by a break or continue is an error of package fault.
func TestC9CauseOfALeftStep(t *testing.T) {
	for name, leave := range leaves {
		t.Run(name, func(t *testing.T) {
			for where, cause := range leftBy(t, leave) {
				if _, ok := cause.(*fault.Error); !ok || !errors.Is(cause, fault.Cancelled) || !errors.Is(cause, context.Canceled) {
					t.Errorf("%s: the cause is %T %v", where, cause, cause)
				}
			}
		})
	}
}

// C9: a body that returns such a cause as its error fails, and doesn't leave a loop.
func TestC9CauseIsAnOrdinaryError(t *testing.T) {
	fail := func(err error) map[string]step.Step[loopx.Iteration[int], int] {
		return map[string]step.Step[loopx.Iteration[int], int]{
			"func":  step.Func(func(step.Scope, loopx.Iteration[int]) (int, error) { return 0, err }),
			"new":   step.New(func(step.Scope, loopx.Iteration[int]) step.Next[int] { return step.Fail[int](err) }),
			"await": step.Await(func(context.Context, loopx.Iteration[int]) (int, error) { return 0, err }),
			"wait": step.New(func(as step.Scope, _ loopx.Iteration[int]) step.Next[int] {
				return step.Wait(as, func(done step.Done[int]) { done.Fail(err) })
			}),
			"handler": flow.Catch(
				step.Func(func(step.Scope, loopx.Iteration[int]) (int, error) { return 0, errTurn }),
				func(step.Scope, error) step.Next[int] { return step.Fail[int](err) }),
		}
	}
	for name, leave := range leaves {
		for where, cause := range leftBy(t, leave) {
			for how, body := range fail(cause) {
				if _, err := flow.Run(t.Context(), loopx.Repeat(2, body), 0); !errors.Is(err, cause) {
					t.Errorf("%s, %s returned by %s: ended with %v", name, where, how, err)
				}
			}
		}
	}
}

func TestC9SecondaryErrorsLeaveNoLoop(t *testing.T) {
	_, err := flow.Run(t.Context(), loopx.Repeat(1, step.New(func(as step.Scope, _ loopx.Iteration[int]) step.Next[int] {
		plantest.BreakRule(as) // then the body leaves
		return loopx.Break[int]()
	})), 0)
	plantest.WantCode(t, err, fault.InvalidRequest)
	failure, _ := errors.AsType[*fault.Error](err)
	for _, also := range failure.Secondary {
		_, err := flow.Run(t.Context(), loopx.Repeat(2, step.Func(func(step.Scope, loopx.Iteration[int]) (int, error) {
			return 0, also
		})), 0)
		if !errors.Is(err, also) {
			t.Errorf("secondary error %v returned by a body: ended with %v", also, err)
		}
	}
}
