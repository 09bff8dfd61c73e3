package main

import (
	"context"
	"fmt"
)

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
