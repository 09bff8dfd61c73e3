package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

// Order is the order of a customer.
type Order struct {
	Item  string
	Cents int
}

// Approval is the answer of a human who was asked about an expensive order.
type Approval struct {
	By string
	OK bool
}

var (
	errDeclined = errors.New("the card was declined")
	errRejected = errors.New("the order was rejected")
)

// Effects. Each gets the key of its call, so that a repeat can be recognised.
var (
	reserve = flow.Named("reserve", step.Do(func(ctx context.Context, o Order) error { return effect(ctx, "reserve "+o.Item) }))
	release = flow.Named("release", step.Do(func(ctx context.Context, o Order) error { return effect(ctx, "release "+o.Item) }))
	refund  = flow.Named("refund", step.Do(func(ctx context.Context, o Order) error {
		return effect(ctx, fmt.Sprintf("give %d cents back", o.Cents))
	}))
	charge = flow.Named("charge", step.Do(func(ctx context.Context, o Order) error {
		if o.Cents > 100_000 {
			return errDeclined
		}
		return effect(ctx, fmt.Sprintf("charge %d cents", o.Cents))
	}))
	ship = flow.Named("ship", step.Await(func(ctx context.Context, o Order) (string, error) {
		return "parcel with a " + o.Item, effect(ctx, "ship "+o.Item)
	}))
)

// approved passes a cheap order on. For an expensive one it waits for the answer of a human, at most three days, and fails without
// an approval.
var approved = step.New(func(as step.Scope, o Order) step.Next[Order] {
	if o.Cents < 10_000 {
		return step.Succeed(o)
	}
	decide := step.Func(func(_ step.Scope, a Approval) (Order, error) {
		if !a.OK {
			return o, fmt.Errorf("%w by %s", errRejected, a.By)
		}
		return o, nil
	})
	return step.Into(as, flow.Timeout(3*24*time.Hour, flow.Then(durable.Signal[Approval]("approval"), decide)), struct{}{})
})

// plan reserves the item of an order, waits for the approval, charges and ships. If an order fails, what was done for it is undone.
var plan = flow.Saga(flow.Then(
	flow.Chain(flow.Undo(reserve, release), flow.Named("approved", approved), flow.Undo(retry.Of(patience, charge), refund)),
	ship,
))

var patience = retry.Policy{Tries: 3, Pause: time.Second, Factor: 2}

// orders is the plan under the name by which engines know it.
var orders = durable.New("orders", plan,
	durable.Heartbeat(2*time.Second),
	durable.Errors(map[string]error{"declined": errDeclined, "rejected": errRejected}))

// effect stands for a call of a service: it waits for a second and prints what it has done.
func effect(ctx context.Context, what string) error {
	select {
	case <-time.After(time.Second):
		fmt.Fprintf(os.Stdout, "%-28s %s\n", what, durable.Key(ctx))
		return nil
	case <-ctx.Done():
		return fault.Wrap(fault.Cancelled, what, context.Cause(ctx))
	}
}
