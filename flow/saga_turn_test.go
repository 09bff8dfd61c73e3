package flow_test

import (
	"context"
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

// endsAtCall is a context that ends when its Err is called for the nth time.
type endsAtCall struct {
	context.Context
	n    int
	done chan struct{}
}

func (c *endsAtCall) Done() <-chan struct{} { return c.done }

func (c *endsAtCall) Err() error {
	if c.n--; c.n == 0 {
		close(c.done)
	}
	if c.n <= 0 {
		return context.Canceled
	}
	return nil
}

// inLevels puts s into some levels, which end after it, one after the other.
func inLevels(levels int, s step.Step[int, int]) step.Step[int, int] {
	for range levels {
		s = flow.Named("level", flow.Chain(plantest.Add(1), s))
	}
	return s
}

// A turn of a run without a loop may end at any step, and its context may end between two turns. Such a run may also get its
// loop there.
func TestK5CancelBetweenTurnsOfAPrivateRun(t *testing.T) {
	for _, c := range []struct {
		name string
		put  func(saga step.Step[int, int]) step.Step[int, int]
	}{
		{"without a loop", func(saga step.Step[int, int]) step.Step[int, int] { return saga }},
		{"a cleanup makes the loop", func(saga step.Step[int, int]) step.Step[int, int] {
			return step.New(func(as step.Scope, n int) step.Next[int] {
				step.StackCleanup(as, func(*int) { as.Loop() })
				return step.Into(as, saga, n)
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cancelled := 0
			for steps := 960; steps < 1000; steps++ {
				for call := 1; call < 6; call++ {
					var done, undone bool
					saga := flow.Saga(flow.Undo(
						step.Map(func(n int) int { done = true; return n }),
						step.Map(func(n int) int { undone = true; return n }),
					))
					stages := make([]step.Step[int, int], steps)
					for i := range stages {
						stages[i] = step.Map(func(n int) int { return n + 1 })
					}
					ctx := &endsAtCall{context.Background(), call, make(chan struct{})}
					_, err := flow.Run(ctx, flow.Then(flow.Chain(stages...), inLevels(5, c.put(saga))), 0)
					if errors.Is(err, context.Canceled) {
						cancelled++
					}
					if done && (err == nil) == undone {
						t.Errorf("%d steps, cancelled at call %d: ended with %v, undone: %t", steps, call, err, undone)
					}
				}
			}
			if cancelled == 0 {
				t.Error("no run was cancelled")
			}
		})
	}
}
