package durable_test

import (
	"context"
	"fmt"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var (
	wrap = flow.Named("wrap", step.Await(func(_ context.Context, goods string) (string, error) { return "wrapped " + goods, nil }))
	ship = flow.Named("ship", step.Await(func(_ context.Context, goods string) (string, error) { return goods + " on its way", nil }))
)

// The plan was only ship before. A run on a server that came to this step before the patch was deployed still executes
// only ship.
var wrapped = durable.New("parcels",
	durable.Patch("gift wrap", ship, flow.Then(wrap, ship)))

func ExamplePatch() {
	ctx := context.Background()
	on, loop := durable.Local()
	defer func() { _ = loop.Shutdown(ctx) }()
	run, err := wrapped.Start(ctx, on, "parcel-1", "teapot")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(run.Wait(ctx))
	// Output: wrapped teapot on its way <nil>
}
