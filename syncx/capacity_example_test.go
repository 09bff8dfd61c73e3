package syncx_test

import (
	"fmt"

	"github.com/futoin-go/asyncsteps/syncx"
)

func ExampleMutex_SetCapacity() {
	door := syncx.NewMutex(10, 100)
	fmt.Println(door.SetCapacity(2), door.Capacity())
	fmt.Println(door.SetCapacity(0))
	// Output:
	// <nil> 2
	// InvalidRequest: mutex: the maximum must be at least 1, got 0
}

func ExampleLimiter_SetCapacity() {
	door := syncx.NewLimiter(syncx.Limits{Concurrent: 10, Rate: 100})
	fmt.Println(door.SetCapacity(2), door.Capacity())
	// Output: <nil> 2
}

func ExampleAdaptive_SetCapacity() {
	limit := syncx.NewAdaptive(syncx.AdaptivePolicy{Name: "stock"})
	fmt.Println(limit.SetCapacity(5), limit.Capacity())
	// Output: <nil> 5
}
