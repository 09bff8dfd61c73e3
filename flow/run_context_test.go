package flow_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// C1: if a body fails with the error of the run's context, which has ended, the run is cancelled, with the cause of the
// context. No handler is asked.
func TestC1BodyFailsWithTheErrorOfTheContext(t *testing.T) {
	loop := tool.Start(tool.Options{})
	defer func() {
		if err := loop.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for name, run := range map[string]func(context.Context, step.Step[int, int]) error{
		"Run": func(ctx context.Context, s step.Step[int, int]) error {
			_, err := flow.Run(ctx, s, 1)
			return err
		},
		"Start": func(ctx context.Context, s step.Step[int, int]) error {
			_, err := flow.Start(ctx, loop, s, 1).Wait(context.Background())
			return err
		},
	} {
		for kind, fails := range map[string]func(func() error) step.Step[int, int]{
			"Func": func(end func() error) step.Step[int, int] {
				return step.Func(func(step.Scope, int) (int, error) { return 0, end() })
			},
			"New": func(end func() error) step.Step[int, int] {
				return step.New(func(step.Scope, int) step.Next[int] { return step.Fail[int](end()) })
			},
			"Await": func(end func() error) step.Step[int, int] {
				return step.Await(func(context.Context, int) (int, error) { return 0, end() })
			},
			"in a branch": func(end func() error) step.Step[int, int] {
				return sum[int](flow.Par(plantest.Add(1), step.Func(func(step.Scope, int) (int, error) { return 0, end() })))
			},
		} {
			ctx, cancel := context.WithCancelCause(t.Context())
			asked := false
			err := run(ctx, flow.Catch(fails(func() error { cancel(errFirst); return ctx.Err() }), func(step.Scope, error) step.Next[int] {
				asked = true
				return step.Succeed(1)
			}))
			if e := plantest.WantCode(t, err, fault.Cancelled); !errors.Is(e, errFirst) || !errors.Is(e, context.Canceled) || asked {
				t.Errorf("%s, %s: %v, a handler was asked: %t", name, kind, err, asked)
			}
		}
	}
}

// C1, K1: the error of another context is an error like others, and so is one inside of a shield.
func TestC1BodyFailsWithTheErrorOfAnotherContext(t *testing.T) {
	other, stop := context.WithCancel(t.Context())
	stop()
	recovers := func(s step.Step[int, int]) (int, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		return flow.Run(ctx, flow.Catch(s, func(step.Scope, error) step.Next[int] { return step.Succeed(7) }), 1)
	}
	if v, err := recovers(step.Func(func(step.Scope, int) (int, error) { return 0, other.Err() })); v != 7 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	asked := false
	inside := flow.Catch(step.Func(func(step.Scope, int) (int, error) { cancel(errFirst); return 0, ctx.Err() }), func(step.Scope, error) step.Next[int] {
		asked = true
		return step.Succeed(7)
	})
	if _, err := flow.Run(ctx, flow.Shield(inside), 1); !asked {
		t.Errorf("the handler inside of the shield wasn't asked: %v", err)
	}
}

// endingContext is a context that ends when end is set, and doesn't close its channel then.
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

// C1: no handler is asked about an error that comes when the context of the run has ended, also if the loop hasn't
// been told of the end yet.
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
