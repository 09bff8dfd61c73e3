package temporal_test

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var pay = flow.Named("pay", step.Await(func(_ context.Context, cents int) (string, error) {
	if cents > 1000 {
		return "", errDeclined
	}
	return fmt.Sprintf("paid %d", cents), nil
}))

// On a server, a worker calls the bodies, and any process with a client can start runs.
func ExampleEngine() {
	c, err := client.NewLazyClient(client.Options{HostPort: "localhost:7233"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	payments := durable.New("payments", pay)
	fmt.Println(temporal.Of(payments).Register(worker.New(c, "payments", worker.Options{})))
	on := temporal.Engine(c, "payments")
	fmt.Println(payments.Attach(on, "payment-17").ID())
	// Output:
	// <nil>
	// payment-17
}

func ExampleWorkflow_RegisterWorkflows() {
	c, err := client.NewLazyClient(client.Options{HostPort: "localhost:7233"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	fmt.Println(temporal.Of(durable.New("payments", pay)).RegisterWorkflows(worker.New(c, "histories", worker.Options{})))
	// Output: <nil>
}
