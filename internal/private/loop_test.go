package private_test

import (
	"context"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/private"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestIdleLoopHoldsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(private.WithOptions(t.Context(), tool.Options{}))
	defer cancel()
	asking := step.Func(func(as step.Scope, it loopx.Iteration[int]) (int, error) {
		as.Loop()
		return it.Carry, nil
	})
	if _, err := flow.Run(ctx, loopx.Repeat(1000, asking), 1); err != nil { // several turns
		t.Fatal(err)
	}
	if run, of, ok := private.Idle(ctx); ok && (run != nil || of != nil) { // with the race detector a pool drops some
		t.Errorf("it refers to the run %v and the context %v", run, of)
	}
}

// A private loop serves another run also if loads, streams and other runs have used it, unless code of the user's has
// got its Host, or a run still lives on it.
func TestLoopIsUsedAgain(t *testing.T) {
	none := step.Func(func(_ step.Scope, n int) (int, error) { return n, nil })
	kept := share.NewMemo(share.MemoPolicy{}, flow.Then(step.Delay[int](1), syncx.Sync(syncx.NewThrottle(1000, time.Second, 0), none))).Get()
	inside := func(plan step.Step[int, int]) step.Step[int, int] {
		return step.New(func(as step.Scope, n int) step.Next[int] {
			run := flow.Start(as.Context(), as.Loop(), plan, n)
			return step.Wait(as, func(done step.Done[int]) {
				run.Then(func(v int, err error) {
					if err != nil {
						t.Error(err)
					}
					done.Succeed(v)
				})
			})
		})
	}
	left := step.Func(func(as step.Scope, n int) (int, error) {
		flow.Start(t.Context(), as.Loop(), step.Delay[int](time.Hour), n)
		return n, nil
	})
	hosted := step.Func(func(as step.Scope, n int) (int, error) {
		as.Loop().Host()
		return n, nil
	})
	for _, c := range []struct {
		name  string
		plan  step.Step[int, int]
		again bool
	}{
		{"waits", step.Delay[int](1), true},
		{"a load", kept, true},
		{"a stream", flow.Then(step.Map(func(n int) []int { return []int{n, n} }), stream.Count(stream.Throttle(stream.Slice[int](), 1, 1))), true},
		{"a run on it", inside(step.Delay[int](1)), true},
		{"a run that stays", left, false},
		{"a host for the user", hosted, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			again := false
			for range 20 { // with the race detector a pool drops some
				ctx := private.WithOptions(t.Context(), tool.Options{})
				if _, err := flow.Run(ctx, c.plan, 1); err != nil {
					t.Fatal(err)
				}
				_, _, ok := private.Idle(ctx)
				again = again || ok
			}
			if again != c.again {
				t.Errorf("the loop is used again: %t, want %t", again, c.again)
			}
		})
	}
}
