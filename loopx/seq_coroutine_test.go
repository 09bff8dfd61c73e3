package loopx_test

import (
	"context"
	"iter"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// O5: an iterator runs on a coroutine. If it is the first to ask for the run's loop, the loop still belongs to the
// goroutine that drives the run, and not to one that starts later.
func TestIteratorThatFirstNeedsTheLoop(t *testing.T) {
	asks := func(as step.Scope) iter.Seq[int] {
		return func(yield func(int) bool) {
			as.Loop()
			yield(1)
		}
	}
	body := step.Map(func(i loopx.Item[int, int, int]) int { return i.Value })
	later := step.Await(func(_ context.Context, v int) (int, error) { return v + 1, nil })
	in := step.New(func(as step.Scope, i int) step.Next[int] {
		if !as.Loop().InLoop() {
			t.Error("a body isn't on its loop")
		}
		return step.Succeed(i)
	})
	plan := step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Into(as, flow.Then(flow.Then(loopx.EachSeq(body), later), in), asks(as))
	})
	for range 2000 {
		if got, err := flow.Run(t.Context(), plan, 1); got != 2 || err != nil {
			t.Fatalf("got %d, %v", got, err)
		}
	}
}
