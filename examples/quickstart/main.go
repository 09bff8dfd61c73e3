package main

import (
	"context"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

// The calls are plain functions, such as
// func charge(ctx context.Context, seat string) (string, error).
var (
	// From a city to a fare. If slowAir hasn't answered after 50 ms, quickAir is asked too.
	fare = flow.Hedge(50*time.Millisecond, step.Await(slowAir), step.Await(quickAir))

	// From a fare to a seat, which is given back if a later step fails.
	seat = flow.Undo(step.Await(book), step.Do(giveBack))

	// From a seat to a receipt.
	bank = flow.Named("bank", flow.Timeout(50*time.Millisecond, step.Await(charge)))

	// From a city to a receipt. Either all of the saga is done, or what was done is undone.
	trip = flow.Saga(flow.Then(fare, flow.Then(seat, retry.Of(retry.Policy{Tries: 2}, bank))))
)

func main() {
	_, err := flow.Run(context.Background(), trip, "Oslo")
	fmt.Println(err)
}
