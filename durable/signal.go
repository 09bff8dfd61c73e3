package durable

import (
	"reflect"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// Signal returns a step that waits for a signal, which [Send] sends to the run. At most one step receives a signal; signals of one
// name are received in the order in which they were sent, and those that no step waits for yet are kept. The step has the name of
// the signal.
//
// A signal that no step has received when the run ends is logged, by slog.Default or the logger of the Temporal worker.
//
// The step needs a run of a [Workflow] on an [Engine]; in any other run, and in one that a step has started on another loop, it fails
// with InternalError. A step that is left receives nothing. [Workflow.Err] reports an empty name.
func Signal[T any](name string) flow.Plan[struct{}, T] {
	s := step.New(func(as step.Scope, _ struct{}) step.Next[T] {
		from := engine.RunIn(as)
		if from == nil {
			return step.Fail[T](fault.New(fault.InternalError, "durable.Signal "+name+": the run is not one of a durable.Workflow"))
		}
		return step.Wait(as, func(done step.Done[T]) {
			withdraw := from.Receive(name, reflect.TypeFor[T](), func(v reflect.Value) {
				value, _ := reflect.TypeAssert[T](v)
				done.Succeed(value)
			})
			as.SetCancel(withdraw)
		})
	})
	s.Stage().Node().Tell(func() []plan.Parameter { return []plan.Parameter{plan.Set(engine.SignalParameter, name)} })
	p := flow.Named(name, s)
	if name == "" {
		p.Stage().Node().Reject("Signal: the name is empty")
	}
	return p
}
