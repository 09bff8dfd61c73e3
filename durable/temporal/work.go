package temporal

import (
	"reflect"
	"slices"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// work is an activity or a child workflow that the run waits for, or one to be used again.
type work struct {
	tool.Work

	x      *instance
	future workflow.Future
	since  time.Duration // when the step began to wait, by the loop's clock
	left   bool          // the step doesn't wait for the work any more, or isn't one of the run's plan

	ctx     workflow.Context
	stop    func(cause error) // cancels ctx
	stopped bool              // stop was called
}

// enter returns a work that isn't in use: one from spare, or a new one.
func (x *instance) enter() *work {
	if last := len(x.spare) - 1; last >= 0 {
		w := x.spare[last]
		x.spare = x.spare[:last]
		return w
	}
	w := &work{x: x}
	var cancel workflow.CancelFunc
	w.ctx, cancel = workflow.NewDisconnectedContext(x.values) // like x.ctx, w.ctx doesn't end with the workflow
	w.stop = func(error) {
		w.stopped, x.pending = true, 0 // an activity that hasn't been sent to the server yet ends now
		x.withdraw(w)
		cancel()
	}
	return w
}

// release is called when w has ended. It puts w into spare, unless w was a child workflow or stop was called. After the end stop
// isn't called any more: see tool.WithWork.
func (w *work) release() {
	if w.Body.Call == nil || w.stopped { // the SDK may listen to the context of a child for longer
		return
	}
	w.Work, w.future, w.left = tool.Work{}, nil, false
	w.x.spare = append(w.x.spare, w)
}

// mostPending bounds the activities and child workflows of a run that are under way. By default a server refuses more than 2000 of
// either, and the run would stand still. Further works begin, in their order, as others end.
const mostPending = 1000

// take executes w: a body of the plan as an activity, a named flow.Call of the plan as a child workflow.
func (x *instance) take(w tool.Work) (stop func(cause error), taken bool) {
	own, known := x.Bodies[w.Body]
	if !known {
		if w.Body.Start != nil {
			return nil, false // the machine executes the plan of the flow.Call itself, here in the workflow
		}
		w.Done(reflect.Value{}, fault.New(fault.InternalError, "the step "+w.Kind+" that was built at "+w.Site().String()+
			" isn't part of the plan: name the plan that it is in with durable.Also"))
		return nil, true
	}
	defer x.broken()
	// For a bad input of a child workflow the SDK doesn't panic, so execute wouldn't find it.
	if w.Body.Start != nil || engine.MayBeLarge(w.In) {
		if err := x.check("the input", w.In); err != nil {
			w.Done(reflect.Value{}, err)
			return nil, true
		}
	}
	pending := x.enter()
	pending.Work, pending.since, pending.left = w, x.at, engine.Apart(w.Context)
	if len(x.later) > 0 || len(x.works) >= mostPending {
		x.later = append(x.later, pending)
		return pending.stop, true
	}
	if !x.start(pending, own) {
		return nil, true
	}
	return pending.stop, true
}

// start executes w. If the input of w can't be encoded, it gives the error to the step and returns false.
func (x *instance) start(w *work, own engine.Identity) bool {
	if err := x.execute(w, own); err != nil {
		done := w.Done // w may be used again by a step that follows
		w.left = false
		x.spare = append(x.spare, w)
		done(reflect.Value{}, err)
		return false
	}
	x.works = append(x.works, w)
	return true
}

// refill executes works that had to wait. It is called on the loop.
func (x *instance) refill() {
	defer x.broken()
	for len(x.later) > 0 && len(x.works) < mostPending {
		w := x.later[0]
		x.later = slices.Delete(x.later, 0, 1)
		x.start(w, x.Bodies[w.Body])
	}
}

// withdraw ends w if it waits in later. Its step gets the error of a cancelled activity.
func (x *instance) withdraw(w *work) {
	i := slices.Index(x.later, w)
	if i < 0 {
		return
	}
	x.later = slices.Delete(x.later, i, i+1)
	future, settle := workflow.NewFuture(x.ctx)
	settle.SetError(temporal.NewCanceledError())
	w.future = future
	x.works = append(x.works, w)
}

// execute makes the SDK execute w. If the SDK panics because it can't encode the input, execute returns that error.
func (x *instance) execute(w *work, own engine.Identity) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if err = x.check("the input", w.In); err == nil {
				panic(v) // the panic has another reason
			}
		}
	}()
	if w.Body.Start != nil {
		w.future = workflow.ExecuteChildWorkflow(workflow.WithChildOptions(w.ctx, workflow.ChildWorkflowOptions{
			WorkflowID: x.id + x.calls.Next(x.carried.Generation, w.Path, ""), WaitForCancellation: true, StaticSummary: w.Path,
			ParentClosePolicy: enums.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
		}), own.Name, w.In.Interface(), carried{Of: own.Version})
		return nil
	}
	key := x.calls.Next(x.carried.Generation, w.Path, own.After)
	options := x.steps[w.Name]
	if options.local != nil {
		name, _ := own.Name.(string)
		w.future = workflow.ExecuteLocalActivity(workflow.WithLocalActivityOptions(w.ctx, *options.local), localName(name), w.In.Interface(), key)
		return nil
	}
	w.future = workflow.ExecuteActivity(workflow.WithActivityOptions(w.ctx, options.of(x.definition, key)), own.Name, w.In.Interface())
	return nil
}

// broken is deferred. It stores a panic of the SDK in x.fatal, for drive, and panics again. Without it the machine would turn the
// panic into an error of the step, or, in refill, the loop would only report it.
func (x *instance) broken() {
	if v := recover(); v != nil {
		x.fatal = &tool.PanicError{Value: v}
		panic(v)
	}
}

// deliver gives the results of ended to their steps. It is called on the loop.
func (x *instance) deliver() {
	for i, w := range x.ended {
		out := reflect.New(w.Body.Out)
		err, done := w.future.Get(x.ctx, out.Interface()), w.Done
		w.release() // first, because done may execute steps that follow, which call enter
		done(out.Elem(), x.decode(err))
		x.ended[i] = nil
	}
	x.ended = x.ended[:0]
	x.refill()
}

// Each implements engine.Works.
func (x *instance) Each(yield func(path string, at engine.Stand)) {
	for _, works := range [][]*work{x.works, x.later} {
		for _, w := range works {
			if !w.left {
				yield(w.Path, engine.Stand{Label: x.Label(w.Work), Since: w.since})
			}
		}
	}
}

// Leave implements engine.Works.
func (x *instance) Leave(path string) {
	for _, w := range x.works {
		w.left = w.left || w.Path == path
	}
}
