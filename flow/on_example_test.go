package flow_test

import (
	"context"
	"fmt"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// Up to as many elements are computed at the same time as the group has loops.
func ExampleOn() {
	loops := tool.NewGroup(0, tool.Options{})
	square := step.Map(func(n int) int { return n * n })
	squares := flow.ParEach(100, flow.On(loops, square))
	fmt.Println(flow.Run(context.Background(), squares, []int{1, 2, 3}))
	fmt.Println(loops.Shutdown(context.Background()))
	// Output:
	// [1 4 9] <nil>
	// <nil>
}
