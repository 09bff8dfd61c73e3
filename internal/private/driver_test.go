package private_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/private"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// counting is a context that counts the calls of Err, and fails the test when there are too many.
type counting struct {
	context.Context
	t     *testing.T
	looks int
}

func (c *counting) Err() error {
	if c.looks++; c.looks > 100 {
		c.t.Fatal("the run looks at its context again and again")
	}
	return c.Context.Err()
}

// C7: while a run whose context has ended waits for a goroutine, it sleeps.
func TestCancelledRunSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		slow := step.Await(func(ctx context.Context, _ int) (int, error) {
			<-ctx.Done()
			time.Sleep(time.Millisecond)
			return 0, nil
		})
		_, err := flow.Run(&counting{Context: ctx, t: t}, slow, 0)
		if fault.CodeOf(err) != fault.Timeout {
			t.Errorf("ended with %v", err)
		}
	})
}

// onGoroutine calls fn on a goroutine that fn may end.
func onGoroutine(fn func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		fn()
	}()
	<-ended
}

// The callbacks that a run has left on its loop are all run, although each ends the goroutine.
func TestGoexitInWorkThatIsLeft(t *testing.T) {
	ran := 0
	onGoroutine(func() {
		_, _ = flow.Run(t.Context(), step.Func(func(as step.Scope, n int) (int, error) {
			for range 3 {
				if _, err := as.Loop().Immediate(func() { ran++; runtime.Goexit() }); err != nil {
					t.Error(err)
				}
			}
			return n, nil
		}), 1)
		t.Error("flow.Run has returned")
	})
	if ran != 3 {
		t.Errorf("%d callbacks ran", ran)
	}
}

// A private loop on which a run was left is shut down and serves no other run, even if a callback of the run that was left
// ends the goroutine.
func TestGoexitOfARunThatIsLeft(t *testing.T) {
	ctx := private.WithOptions(t.Context(), tool.Options{})
	stay := step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
	leaves := step.Func(func(as step.Scope, n int) (int, error) {
		flow.Start(context.Background(), as.Loop(), stay, n).Then(func(int, error) { runtime.Goexit() })
		return n, nil
	})
	starts := step.Func(func(as step.Scope, n int) (int, error) {
		_, err := flow.Start(context.Background(), as.Loop(), step.Map(func(n int) int { return n }), n).Result()
		if errors.Is(err, tool.ErrShutdown) {
			t.Error(err)
		}
		return n, nil
	})
	for range 10 {
		onGoroutine(func() { _, _ = flow.Run(ctx, leaves, 1) })
		if _, err := flow.Run(ctx, starts, 1); err != nil {
			t.Error(err)
		}
	}
}
