package flow_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// The memory of a waiting run depends on the levels that the run is in, and not on the size of its plan.
func TestMemoryOfAWaitingRun(t *testing.T) {
	id := step.Func(func(_ step.Scope, i int) (int, error) { return i, nil })
	attempt := step.Func(func(_ step.Scope, t loopx.Iteration[int]) (int, error) { return t.Carry, nil })
	stage := func(attempt step.Step[loopx.Iteration[int], int]) step.Step[int, int] {
		retried := flow.Catch(loopx.Repeat(3, attempt), func(step.Scope, error) step.Next[int] { return step.Unwind[int]() })
		return flow.Timeout(2*time.Hour, retried)
	}
	around := slices.Repeat([]step.Step[int, int]{stage(attempt)}, 10)
	wait := step.Delay[int](time.Hour)
	waits := stage(flow.Then(attempt, wait))
	for _, c := range []struct {
		plan   step.Step[int, int]
		atMost int64
		what   string
	}{
		{flow.Chain(id, wait, id), 23 << 6, "in a sequence: less than one and a half KiB"},
		{flow.Chain(slices.Concat(around, []step.Step[int, int]{waits}, around)...), 33 << 6, "in the middle of stages with a loop, a handler and a limit each: some 2 KiB"},
	} {
		l := tooltest.New()
		runs := make([]*flow.Running[int], 1000)
		start := func(runs []*flow.Running[int]) {
			for i := range runs {
				runs[i] = flow.Start(t.Context(), l, c.plan, 1)
			}
			l.Advance(0)
		}
		start(runs[:1])
		before := heapInUse()
		start(runs[1:])
		got := (heapInUse() - before) / int64(len(runs)-1)
		t.Logf("%d bytes", got)
		if got > c.atMost {
			t.Errorf("%s, but it is %d bytes", c.what, got)
		}
		for _, r := range runs {
			r.Cancel(nil)
		}
		l.Run()
	}
}

// heapInUse returns the size of the live heap.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // the second collection empties the pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
