package flow_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// C3, C6, P2: a completion was posted but not yet delivered when the limit of a step around passes. The branch goes on
// once.
func TestCompletionPostedWhenLimitPasses(t *testing.T) {
	loop := tooltest.New()
	var doneA, doneB step.Done[int]
	wait := func(to *step.Done[int]) step.Step[int, int] {
		return step.New(func(as step.Scope, _ int) step.Next[int] {
			return step.Wait(as, func(d step.Done[int]) { *to = d })
		})
	}
	inner := flow.Then(wait(&doneA), step.Map(func(i int) int { return i }))
	a := flow.Catch(flow.Timeout(time.Second, inner), func(step.Scope, error) step.Next[int] { return step.Succeed(-1) })
	// the same deadline, but queued earlier: fires just before the limit
	if _, err := loop.Deferred(time.Second, func() { doneA.Succeed(1) }); err != nil {
		t.Fatal(err)
	}
	r := flow.Start(t.Context(), loop, flow.Par2(a, wait(&doneB)), 0)
	loop.Advance(2 * time.Second)
	for _, err := range loop.Errors() {
		t.Error(err)
	}
	select {
	case <-r.Done():
		v, err := r.Result()
		t.Fatalf("ended with %v, %v, though b still waits", v, err)
	default:
	}
	doneB.Succeed(2)
	loop.Run()
	if v, err := r.Result(); err != nil || v.B != 2 {
		t.Errorf("got %v, %v", v, err)
	}
}
