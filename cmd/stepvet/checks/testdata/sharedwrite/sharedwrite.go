// Package sharedwrite has plans whose runs write what they share.
package sharedwrite

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

var (
	count int
	seen  = map[int]bool{}
	table [3]int
	list  []int
	sum   atomic.Int64
	lock  sync.Mutex
	one   = syncx.NewMutex(1, -1)
)

var counts = flow.Then(
	step.Map(func(in int) int {
		count++ // want `a body writes count: all runs of the plan share it`
		local := in
		local++
		return local
	}),
	step.Await(func(_ context.Context, in int) (int, error) {
		seen[in] = true         // want `a body writes seen`
		table[0] = in           // want `a body writes table`
		list = append(list, in) // want `a body writes list`
		sum.Add(1)
		return in, nil
	}),
)

var locked = step.Map(func(in int) int {
	lock.Lock()
	defer lock.Unlock()
	count++
	return in
})

var guarded = syncx.Sync(one, step.Map(func(in int) int {
	count++
	return in
}))

func failing(times int) flow.Plan[int, int] {
	calls := 0
	return flow.Of(step.Func(func(_ step.Scope, in int) (int, error) {
		calls++ // want `a body writes calls: all runs of the plan that is returned share it`
		times-- // want `a body writes times`
		return in, nil
	}))
}

func totals(ctx context.Context, in []int) (int, error) {
	total := 0
	_, err := flow.Run(ctx, flow.ParEach(4, step.Await(func(_ context.Context, n int) (int, error) {
		total += n // want `a body writes total: goroutines that flow.ParEach runs side by side share it`
		return n, nil
	})), in)
	return total, err
}

func inOrder(ctx context.Context, in []int) (int, error) {
	total := 0
	_, err := flow.Run(ctx, flow.ParEach(1, step.Await(func(_ context.Context, n int) (int, error) {
		total += n
		return n, nil
	})), in)
	return total, err
}

// One run of one plan: its steps never run at the same time.
func once(ctx context.Context) (int, error) {
	calls := 0
	_, err := flow.Run(ctx, flow.Par2(step.Map(func(in int) int {
		calls++
		return in
	}), step.Map(func(in int) int {
		calls++
		return in
	})), 1)
	return calls, err
}
