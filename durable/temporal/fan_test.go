package temporal_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// mostPending is how many calls of a run may be under way at once, as the guide says.
const mostPending = 1000

// fan calls a body for each number below n, in parallel, and returns the sum of the results, or -1 if these aren't in order.
func fan(n int, body func(context.Context, int) (int, error)) flow.Plan[int, int] {
	numbers := step.Map(func(int) []int {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	})
	return flow.Then(numbers, flow.Then(flow.ParEach(-1, step.Await(body)), step.Map(func(all []int) int {
		if !slices.IsSorted(all) {
			return -1
		}
		sum := 0
		for _, i := range all {
			sum += i
		}
		return sum
	})))
}

// A server refuses the task of a run with more than 2000 activities under way, so the run would stand still. No worker calls bodies here.
func TestFanOnServer(t *testing.T) {
	c := serve(t).client()
	w := durable.New("fan", fan(2500, func(_ context.Context, n int) (int, error) { return n, nil }))
	plans := worker.New(c, "fan", worker.Options{LocalActivityWorkerOnly: true})
	if err := temporal.Of(w).RegisterWorkflows(plans); err != nil {
		t.Fatal(err)
	}
	if err := plans.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plans.Stop)
	f, err := w.Start(t.Context(), temporal.Engine(c, "fan"), "f", 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, pending := withinLimit(t), 0
	for ; pending == 0; time.Sleep(50 * time.Millisecond) {
		run, err := c.DescribeWorkflowExecution(ctx, "f", "")
		if err != nil {
			t.Fatal(err)
		}
		pending = len(run.GetPendingActivities())
	}
	if pending != mostPending {
		t.Errorf("%d calls are under way, want %d", pending, mostPending)
	}
	if err = f.Cancel(ctx); err != nil { // calls that wait end as well
		t.Fatal(err)
	}
	if _, err = f.Wait(ctx); !errors.Is(err, fault.Cancelled) {
		t.Errorf("got %v", err)
	}
	begun := 0
	for _, event := range historyOf(t, c, "f").GetEvents() {
		if event.GetEventType() == enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED {
			begun++
		}
	}
	if begun != mostPending {
		t.Errorf("%d calls have begun", begun)
	}
}

// Each of more than mostPending calls is made once, and the results keep their places.
func TestFan(t *testing.T) {
	const n = 2500
	var calls atomic.Int32
	w := durable.New("fan", fan(n, func(_ context.Context, i int) (int, error) {
		calls.Add(1)
		return i, nil
	}))
	patient := func(e *testsuite.TestWorkflowEnvironment) { // the machine may be busy
		e.SetTestTimeout(time.Minute)
		e.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute})
	}
	if out, err := durabletest.Run(w, 0, patient); out != n*(n-1)/2 || err != nil || calls.Load() != n {
		t.Errorf("got %d, %v after %d calls", out, err, calls.Load())
	}
}
