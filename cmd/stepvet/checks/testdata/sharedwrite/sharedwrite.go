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

var (
	state  = &totalled{}
	number = new(int)
	first  sync.Once
	cache  map[string]int
)

type totalled struct {
	total int
	names []string
	inner *totalled
	lock  sync.Mutex
}

var pointed = flow.Then(
	step.Map(func(in int) int {
		state.total += in // want `a body writes state: all runs of the plan share it`
		*number = in      // want `a body writes number`
		state.names[in] = ""
		state.inner.total = in
		own := &totalled{}
		own.total = in
		first.Do(func() { cache = map[string]int{} })
		return in
	}),
	step.Map(state.add),
)

// A method that is a body writes what its receiver points to.
func (t *totalled) add(in int) int {
	t.total += in // want `a body writes t: all runs of the plan share it`
	return t.total
}

func (t *totalled) plan() flow.Plan[int, int] {
	return flow.Of(step.Map(func(in int) int {
		t.total += in // t may be there for one run
		return in
	}))
}

func counting(names ...string) flow.Plan[int, int] {
	t := &totalled{names: names}
	return flow.Of(step.Map(func(in int) int {
		t.total += in // want `a body writes t: all runs of the plan that is returned share it`
		t = nil       // want `a body writes t`
		return in
	}))
}

func replacing(t *totalled) flow.Plan[int, int] {
	return flow.Of(step.Map(func(in int) int {
		t = nil
		return in
	}))
}

func (t *totalled) locked() flow.Plan[int, int] {
	return flow.Of(step.Map(func(in int) int {
		t.lock.Lock()
		defer t.lock.Unlock()
		t.total += in
		return in
	}))
}

// A copy of the receiver is the body's own.
func (t totalled) copied(in int) int {
	t.total += in
	return t.total
}

var byValue = step.Map(state.copied)

func summed(ctx context.Context, in []int, to *totalled) error {
	_, err := flow.Run(ctx, flow.ParEach(4, step.Await(func(_ context.Context, n int) (int, error) {
		to.total += n // want `a body writes to: goroutines that flow.ParEach runs side by side share it`
		return n, nil
	})), in)
	return err
}
