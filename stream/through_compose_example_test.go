package stream_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
)

var errBusy = fault.New("Busy", "the service is busy")

// Each element is tried up to three times. If all attempts fail, its letter goes to the Catch.
func ExampleThrough_retry() {
	tries := map[int]int{}
	call := step.Func(func(_ step.Scope, id int) (string, error) {
		tries[id]++
		if id == 13 || id == 2 && tries[id] == 1 {
			return "", errBusy
		}
		return fmt.Sprintf("%d after %d", id, tries[id]), nil
	})
	again := retry.Of(retry.Policy{Tries: 3, Pause: time.Millisecond}, call)
	called := stream.Catch(stream.Through(stream.Slice[int](), stream.Bound{Limit: 4}, again), func(letter *stream.Letter[int]) error {
		fmt.Println("dead:", letter.Element, "after", tries[letter.Element])
		return nil
	})
	fmt.Println(flow.Run(ctx, stream.Collect(called), []int{1, 2, 13}))
	// Output:
	// dead: 13 after 3
	// [1 after 1 2 after 2] <nil>
}

// A guard limits the streams and plans that share it, a Bound only one stage.
func ExampleThrough_guard() {
	inside, most := 0, 0
	call := step.New(func(as step.Scope, id int) step.Next[int] {
		inside++
		most = max(most, inside)
		step.StackCleanup(as, func(*int) { inside-- })
		return step.Into(as, squares, id)
	})
	guarded := syncx.Sync(syncx.NewMutex(2, -1), call) // two at a time
	s := stream.Through(stream.Slice[int](), stream.Bound{Limit: 5}, guarded)
	fmt.Println(flow.Run(ctx, stream.Collect(stream.Merge(s, s)), []int{3, 3, 3}))
	fmt.Println(most, "at a time")
	// Output:
	// [9 9 9 9 9 9] <nil>
	// 2 at a time
}

// A handler in the steps replaces an error of an element by a value.
func ExampleThrough_catch() {
	price := step.Func(func(_ step.Scope, id int) (int, error) {
		if id > 2 {
			return 0, errBusy
		}
		return 100 * id, nil
	})
	handled := flow.Catch(price, func(_ step.Scope, err error) step.Next[int] {
		if errors.Is(err, errBusy) {
			return step.Succeed(-1)
		}
		return step.Unwind[int]()
	})
	s := stream.Through(stream.Slice[int](), stream.Bound{Limit: 2}, handled)
	fmt.Println(flow.Run(ctx, stream.Collect(s), []int{1, 2, 3}))
	// Output: [100 200 -1] <nil>
}
