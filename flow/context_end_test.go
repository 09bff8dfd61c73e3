package flow_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// endingContext is a context in the moment in which it has ended and those who wait for that haven't been told.
type endingContext struct {
	context.Context
	done chan struct{}
	end  atomic.Pointer[error]
}

func (c *endingContext) Done() <-chan struct{} { return c.done }

func (c *endingContext) Err() error {
	if end := c.end.Load(); end != nil {
		return *end
	}
	return nil
}

// C1: an error that comes when the context of the run has ended is no answer to anybody: no handler is asked, also if the
// loop hasn't been told of the end yet.
func TestErrorAfterTheEndOfTheContext(t *testing.T) {
	ways := map[string]func(context.Context, *testing.T, step.Step[int, []int]) error{
		"Run": func(ctx context.Context, _ *testing.T, s step.Step[int, []int]) error {
			_, err := flow.Run(ctx, s, 1)
			return err
		},
		"Start": func(ctx context.Context, t *testing.T, s step.Step[int, []int]) error {
			loop := tool.Start(tool.Options{})
			r := flow.Start(ctx, loop, s, 1)
			<-r.Done()
			if err := loop.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			_, err := r.Result()
			return err
		},
	}
	for name, run := range ways {
		for end, code := range map[error]fault.Code{context.Canceled: fault.Cancelled, context.DeadlineExceeded: fault.Timeout} {
			t.Run(name+" "+end.Error(), func(t *testing.T) {
				ctx := &endingContext{Context: t.Context(), done: make(chan struct{})}
				var done step.Done[int]
				waits := step.New(func(as step.Scope, _ int) step.Next[int] {
					return step.Wait(as, func(d step.Done[int]) { done = d })
				})
				fails := step.Map(func(i int) int { // in the turn in which the run goes on with the error
					ctx.end.Store(&end)
					var failed sync.WaitGroup
					failed.Go(func() { done.Fail(errFirst) })
					failed.Wait() //stepvet:ignore so that the driver of the run has no chance to look at the context
					return i
				})
				err := run(ctx, t, flow.Par(flow.Catch(waits, func(_ step.Scope, err error) step.Next[int] {
					t.Errorf("a handler was asked about %v", err)
					return step.Unwind[int]()
				}), fails))
				if got := fault.CodeOf(err); got != code || !errors.Is(err, errFirst) {
					t.Errorf("ended with %v, of code %s instead of %s", err, got, code)
				}
			})
		}
	}
}
