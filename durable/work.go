package durable

import (
	"reflect"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// work is an activity or a child workflow that the run waits for.
type work struct {
	tool.Work

	x      *instance
	future workflow.Future
}

// call is what an activity is told beside its input.
type call struct {
	Key string `json:"key"`
}

// take has w done by an activity, or if it is a plan by a child workflow.
func (x *instance) take(w tool.Work) (stop func(cause error), taken bool) {
	name, known := x.bodies[w.Body]
	if !known {
		if w.Body.Start != nil {
			return nil, false // it is executed here
		}
		w.Done(reflect.Value{}, fault.New(fault.InternalError, "the step "+w.Kind+" that was built at "+w.Site().String()+
			" isn't part of the plan: name the plan that it is in with durable.Also"))
		return nil, true
	}
	defer x.broken()
	ctx, cancel := workflow.WithCancel(x.ctx)
	pending := &work{Work: w, x: x}
	key := x.calls.key(x.id, x.carried.Generation, w.Path)
	if w.Body.Start != nil {
		pending.future = workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
			WorkflowID: key, WaitForCancellation: true, StaticSummary: w.Path,
			ParentClosePolicy: enums.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
		}), name, w.In.Interface())
	} else {
		pending.future = workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: x.longest, HeartbeatTimeout: x.heartbeat, WaitForCancellation: true, Summary: w.Path,
			RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumInterval: time.Minute},
		}), name, w.In.Interface(), call{key})
	}
	x.works = append(x.works, pending)
	return func(error) { cancel() }, true
}

// broken keeps a panic of the SDK in x.fatal and panics again. Without that the machine would turn it into an error of
// the step.
func (x *instance) broken() {
	if v := recover(); v != nil {
		x.fatal = &tool.PanicError{Value: v}
		panic(v)
	}
}

// deliver hands the result to the step, on the loop.
func (w *work) deliver() {
	out := reflect.New(w.Body.Out)
	err := w.future.Get(w.x.ctx, out.Interface())
	w.Done(out.Elem(), w.x.decode(err))
}
