package syncx_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func ExampleSyncWeighted() {
	memory := syncx.NewMutex(10, -1)
	loop := tooltest.New()
	load := syncx.SyncWeighted(memory, func(size int) int { return size }, flow.Then(
		step.Map(func(size int) int {
			fmt.Println(size, "at", loop.Now())
			return size
		}),
		step.Delay[int](time.Second),
	))
	for _, size := range []int{6, 8, 3} {
		flow.Start(context.Background(), loop, load, size)
	}
	tooBig := flow.Start(context.Background(), loop, load, 11)
	loop.Run()
	_, err := tooBig.Result()
	if e, ok := errors.AsType[*syncx.WeightError](err); ok {
		fmt.Println(e.Weight, "of", e.Capacity)
	}
	// Output:
	// 6 at 0s
	// 8 at 1s
	// 3 at 2s
	// 11 of 10
}

// metered is a guard of one's own that knows weights.
type metered struct{ *syncx.Mutex }

func (g metered) Enter(t *syncx.Ticket) (bool, error) {
	fmt.Println("asks for", t.Weight())
	return g.Mutex.Enter(t)
}

func ExampleMutex_Weigh() {
	limits := syncx.Limits{Concurrent: 5, Rate: 3}
	fmt.Println(syncx.NewMutex(5, 0).Weigh(5))
	fmt.Println(syncx.NewThrottle(5, time.Second, 0).Weigh(5))
	fmt.Println(syncx.NewTokenBucket(1, time.Second, 5, 0).Weigh(5))
	fmt.Println(syncx.NewLimiter(limits).Weigh(5))
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// InvalidRequest: a section weighs 5, and the guard lets in 3 at most
}

func ExampleKeyed_Weigh() {
	perUser := syncx.PerKey(
		func(name string) byte { return name[0] },
		func(byte) syncx.Guard { return metered{syncx.NewMutex(5, -1)} },
	).Weigh(func(name string) int { return len(name) })
	_, err := flow.Run(context.Background(), syncx.SyncKeyed(perUser, flow.Chain[string]()), "ann")
	fmt.Println(err)
	// Output:
	// asks for 3
	// <nil>
}

func ExampleWithPriority() {
	door := syncx.NewMutex(1, -1).ByPriority(0)
	loop := tooltest.New()
	enter := syncx.Sync(door, flow.Then(say(loop), after(time.Second)))
	for i, name := range []string{"first", "low", "high"} {
		flow.Start(syncx.WithPriority(context.Background(), i), loop, enter, name)
	}
	loop.Run()
	// Output:
	// first at 0s
	// high at 1s
	// low at 2s
}

func ExamplePriorityOf() {
	ctx := syncx.WithPriority(context.Background(), 3)
	fmt.Println(syncx.PriorityOf(ctx), syncx.PriorityOf(context.Background()))
	// Output: 3 0
}

func ExamplePriority() {
	door := syncx.NewMutex(1, -1).ByPriority(0)
	loop := tooltest.New()
	enter := syncx.Priority(func(name string) int { return len(name) }, syncx.Sync(door, flow.Then(say(loop), after(time.Second))))
	for _, name := range []string{"first", "low", "urgent"} {
		flow.Start(context.Background(), loop, enter, name)
	}
	loop.Run()
	// Output:
	// first at 0s
	// urgent at 1s
	// low at 2s
}
