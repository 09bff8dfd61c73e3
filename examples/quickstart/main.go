package main

import (
	"context"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

var (
	fare = flow.Hedge(50*time.Millisecond, step.Await(slowAir), step.Await(quickAir)) // the first that answers
	seat = flow.Undo(step.Await(book), step.Do(giveBack))                             // given back if a later step fails
	bank = flow.Named("bank", flow.Timeout(50*time.Millisecond, step.Await(charge)))
	trip = flow.Saga(flow.Then(fare, flow.Then(seat, retry.Of(retry.Policy{Tries: 2}, bank))))
)

func main() {
	_, err := flow.Run(context.Background(), trip, "Oslo")
	fmt.Println(err)
}

func slowAir(ctx context.Context, _ string) (int, error)   { <-ctx.Done(); return 0, ctx.Err() }
func quickAir(_ context.Context, city string) (int, error) { return 20 * len(city), nil }

func book(_ context.Context, fare int) (string, error) {
	fmt.Println("seat 12A is booked for", fare)
	return "12A", nil
}

func giveBack(_ context.Context, seat string) error {
	fmt.Println("seat", seat, "is given back")
	return nil
}

func charge(ctx context.Context, _ string) (string, error) {
	fmt.Println("the bank doesn't answer")
	<-ctx.Done()
	return "", ctx.Err()
}
