package flow_test

import (
	"context"
	"fmt"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The step after the question needs the question as well.
func ExampleCarry() {
	count := step.Map(func(s string) int { return len(s) })
	tell := step.Map(func(p flow.Pair[string, int]) string { return fmt.Sprintf("%s has %d letters", p.A, p.B) })
	fmt.Println(flow.Run(context.Background(), flow.Then(flow.Carry(count), tell), "four"))
	// Output: four has 4 letters <nil>
}

// A record is written, and the order is passed on unchanged.
func ExampleTap() {
	record := step.Func(func(_ step.Scope, order int) (string, error) {
		fmt.Println("order", order)
		return "written", nil
	})
	next := step.Map(func(order int) int { return order + 1 })
	fmt.Println(flow.Run(context.Background(), flow.Then(flow.Tap(record), next), 7))
	// Output:
	// order 7
	// 8 <nil>
}
