package flow_test

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/step"
)

// contextContacts are methods of contexts, and of the errors that contexts return. The contexts have a type that
// package context doesn't know, so package context has to call their methods too.
var contextContacts = []contact{
	{name: "Err of a context", effect: bound, exit: noRun, ctx: func(ctx context.Context, do func()) context.Context {
		return &userContext{Context: ctx, err: func() error { do(); return nil }}
	}},
	{name: "Done of a context", effect: bound, exit: noRun, plan: deriveContext, ctx: func(ctx context.Context, do func()) context.Context {
		return &userContext{Context: ctx, asked: do}
	}},
	{name: "Value of a context", effect: bound, exit: noRun, plan: deriveContext, ctx: func(ctx context.Context, do func()) context.Context {
		return &userContext{Context: ctx, value: do}
	}},
	{name: "Deadline of a context", effect: free, plan: deriveContext, ctx: func(ctx context.Context, do func()) context.Context {
		return &userContext{Context: ctx, deadline: do}
	}},
	{name: "Err of a context that has ended", effect: free, plan: waitForContext, ctx: func(ctx context.Context, do func()) context.Context {
		return expiring(ctx, func() error { do(); return context.Canceled })
	}},
	{name: "Is of the Err of a context", effect: free, plan: waitForContext, ctx: func(ctx context.Context, do func()) context.Context {
		return expiring(ctx, func() error { return asker(do) })
	}},
	{name: "Unwrap of the Err of a context", effect: free, plan: waitForContext, ctx: func(ctx context.Context, do func()) context.Context {
		return expiring(ctx, func() error { return wrapper(do) })
	}},
	{name: "Error of the Err of a context", effect: free, plan: waitForContext, ctx: func(ctx context.Context, do func()) context.Context {
		return expiring(ctx, func() error { return speaker(do) })
	}},
}

// deriveContext returns a step that derives a context from that of the run, for its goroutine.
func deriveContext(func()) intStep {
	return step.Await(func(_ context.Context, in int) (int, error) { return in, nil })
}

func waitForContext(func()) intStep {
	return step.Await(func(ctx context.Context, _ int) (int, error) {
		<-ctx.Done()
		return 0, context.Cause(ctx)
	})
}

type userContext struct {
	context.Context
	done            chan struct{}
	err             func() error
	asked           func()
	value, deadline func()
}

// expiring returns a context that ends after a second. From then on its Err calls err.
func expiring(ctx context.Context, err func() error) context.Context {
	o := &userContext{Context: ctx, done: make(chan struct{})}
	o.err = func() error {
		select {
		case <-o.done:
			return err()
		default:
			return nil
		}
	}
	time.AfterFunc(time.Second, func() { close(o.done) })
	return o
}

func (o *userContext) Done() <-chan struct{} {
	call(o.asked)
	return o.done
}

func (o *userContext) Err() error {
	if o.err == nil {
		return nil
	}
	return o.err()
}

func (o *userContext) Value(key any) any {
	call(o.value)
	return o.Context.Value(key)
}

func (o *userContext) Deadline() (time.Time, bool) {
	call(o.deadline)
	return o.Context.Deadline()
}
