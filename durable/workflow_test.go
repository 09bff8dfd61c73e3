package durable_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// A second workflow of a name is refused by an error, also if only the names of bodies are the same.
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
	if err = durable.New("orders", pay(), durable.Also("refund", pay())).Register(w); err != nil {
		t.Fatal(err)
	}
	for name, plan := range map[string]step.Step[int, int]{"orders": pay(), "orders.refund": pay()} {
		err = durable.New(name, plan).Register(w)
		if !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "already registered") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
