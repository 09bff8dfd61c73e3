package flow_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestCall(t *testing.T) {
	t.Run("value, and the same plan in several places", func(t *testing.T) {
		shared := flow.Call(flow.Then(step.Delay[int](time.Second), plantest.Add(1)))
		plantest.WantResult(t, flow.Then(flow.Then(shared, shared), sum(flow.Par(shared, shared))), 1, 8)
	})
	t.Run("error", func(t *testing.T) {
		var rec recorder
		called := flow.Call(flow.Then(plantest.Add(1), rec.recordError("inner", failAfter(time.Second, errFirst))))
		_, err := plantest.Run(t, rec.recordError("outer", flow.Then(called, rec.passing("next"))), 1)
		if e := plantest.WantCode(t, err, errFirst.Code); e.Path != "0/0/1/1" {
			t.Errorf("path %q", e.Path)
		}
		rec.Want(t, "inner: First", "outer: First")
	})
	t.Run("C1 cancel", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, flow.Call(flow.OnCancel(flow.Call(rec.waitingInt("leaf")), func(step.Scope) { rec.Recordf("outer") })), 1)
		loop.Run()
		run.Cancel(nil)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
		rec.Want(t, "leaf", "outer")
	})
	t.Run("C3 timeout", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, flow.Timeout(time.Second, flow.Call(rec.recoverWith("inner", 1, rec.waitingInt("leaf")))), 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "leaf")
	})
	t.Run("not called after an error", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, flow.Then(step.Func(fail), flow.Call(rec.passing("called"))), 1)
		plantest.WantCode(t, err, errFirst.Code)
		rec.Want(t)
	})
	t.Run("what is wrong inside is reported outside", func(t *testing.T) {
		if err := flow.Call(flow.Then(plantest.Add(1), step.Map[int, int](nil))).Err(); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("got %v", err)
		}
	})
}

// A loop has taken over a call that was left. The next run in the same memory, on a loop that takes nothing
// over, runs the steps itself.
func TestCallAfterOneThatWasTakenOver(t *testing.T) {
	p := flow.Then(flow.Named("called", flow.Call(plantest.Add(1))), plantest.Add(10))
	for range 2 {
		took := false
		away := tooltest.New(tooltest.WithHost(tool.WithWork(func(tool.Work) (func(error), bool) {
			took = true
			return func(error) {}, true
		})))
		run := flow.Start(t.Context(), away, p, 1)
		away.Advance(time.Second)
		run.Cancel(nil)
		away.Run()
		if _, err := run.Result(); !took || !errors.Is(err, fault.Cancelled) {
			t.Errorf("taken over: %t, ended with %v", took, err)
		}
		plantest.WantResult(t, p, 1, 12)
	}
}

// A call that was taken over leaves nothing to the call after it, which isn't taken over.
func TestCallAfterOneThatWasTaken(t *testing.T) {
	loop := tooltest.New(tooltest.WithHost(tool.WithWork(func(w tool.Work) (func(error), bool) {
		w.Done(reflect.ValueOf(10), nil)
		return nil, true
	})))
	run := flow.Start(t.Context(), loop, flow.Then(flow.Named("called", flow.Call(plantest.Add(1))), flow.Call(plantest.Add(5))), 1)
	loop.Run()
	if v, err := plantest.Result(t, run); v != 15 || err != nil {
		t.Errorf("got %d, %v", v, err)
	}
}
