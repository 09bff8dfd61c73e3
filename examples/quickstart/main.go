package main

import (
	"context"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

// The calls are plain functions, such as func charge(ctx context.Context, seat string) (string, error).
var (
	fare = flow.Hedge(50*time.Millisecond, step.Await(slowAir), step.Await(quickAir)) // city to fare: the first that answers
	seat = flow.Undo(step.Await(book), step.Do(giveBack))                             // fare to seat: given back if a later step fails
	bank = flow.Named("bank", flow.Timeout(50*time.Millisecond, step.Await(charge)))  // seat to receipt
	trip = flow.Saga(flow.Then(fare, flow.Then(seat, retry.Of(retry.Policy{Tries: 2}, bank))))
)

func main() {
	_, err := flow.Run(context.Background(), trip, "Oslo")
	fmt.Println(err)
}
