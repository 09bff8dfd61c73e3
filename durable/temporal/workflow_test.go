package temporal_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// A workflow is refused if another one has its name, or a body with the name of one of its bodies.
func TestRegisteredTwice(t *testing.T) {
	c, err := client.NewLazyClient(client.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w := worker.New(c, "queue", worker.Options{})
	pay := func() step.Step[int, int] {
		return flow.Named("pay", step.Await(func(_ context.Context, n int) (int, error) { return n, nil }))
	}
	if err = temporal.Of(durable.New("orders", pay(), durable.Also("refund", pay()))).Register(w); err != nil {
		t.Fatal(err)
	}
	for name, plan := range map[string]step.Step[int, int]{"orders": pay(), "orders.refund": pay()} {
		err = temporal.Of(durable.New(name, plan)).Register(w)
		if !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "already registered") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestNameLikeAPath(t *testing.T) {
	add := func(n int) step.Step[int, int] {
		return step.Await(func(_ context.Context, in int) (int, error) { return in + n, nil })
	}
	out, err := durabletest.Run(durable.New("names", flow.Chain(flow.Named("1", add(1)), add(10), add(100))), 0)
	if out != 111 || err != nil {
		t.Errorf("got %d, %v", out, err)
	}
}
