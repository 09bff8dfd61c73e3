package temporal

import (
	"errors"
	"fmt"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
)

// WorkflowRegistry registers workflows. worker.Worker, worker.WorkflowReplayer and testsuite.TestWorkflowEnvironment
// implement it.
type WorkflowRegistry interface {
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
}

// Registry registers workflows and activities. worker.Worker and testsuite.TestWorkflowEnvironment implement it.
type Registry interface {
	WorkflowRegistry
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}

// Workflow is a durable.Workflow of any types, as Temporal's workers see it. [Of] makes one. It is immutable and safe for concurrent
// use.
type Workflow struct {
	d     definition
	entry func(definition) any // makes the function that Temporal calls to run the plan
}

// Of returns w as Temporal's workers see it.
func Of[In, Out any](w *durable.Workflow[In, Out]) Workflow {
	return Workflow{definition{Definition: w.Definition()}, func(d definition) any { return entry[In, Out](d) }}
}

// definition is the definition of a workflow, with the options of its steps.
type definition struct {
	*engine.Definition

	steps map[string]stepOptions // by names of steps; the map is never changed
}

// Decode turns the error of a run, as Temporal's own client or test environment reports it, into the one that durable.Run.Wait returns:
// errors.Is finds codes of package fault, and errors named by durable.Errors. Decode(nil) is nil.
func (w Workflow) Decode(err error) error { return w.d.decode(err) }

// Register registers the workflow with a worker, or with the environment of a test. It also registers its named flow.Calls as child
// workflows, and its bodies as activities. It fails if the durable.Workflow has an Err, if options were given to a name that no body
// has, if r is nil, and if r has one of these names already. Call it once, before the worker starts.
func (w Workflow) Register(r Registry) (err error) {
	if err = w.RegisterWorkflows(r); err != nil {
		return err
	}
	defer refused(w.d.Name, &err)
	for _, k := range w.d.Known {
		if k.Body.Call == nil {
			continue
		}
		r.RegisterActivityWithOptions(w.d.activity(k), activity.RegisterOptions{Name: k.Name})
		if w.d.steps[k.Place.Name].local != nil {
			r.RegisterActivityWithOptions(w.d.localActivity(k), activity.RegisterOptions{Name: localName(k.Name)})
		}
	}
	return nil
}

// RegisterWorkflows is [Workflow.Register] without the activities: for a replayer of histories, and for workers that
// call no bodies.
func (w Workflow) RegisterWorkflows(r WorkflowRegistry) (err error) {
	if err = errors.Join(errors.Join(w.d.Errs...), w.d.unknown()); err != nil {
		return err
	}
	if r == nil {
		return fault.New(fault.InvalidRequest, "the registry is nil")
	}
	defer refused(w.d.Name, &err)
	r.RegisterWorkflowWithOptions(w.entry(w.d), workflow.RegisterOptions{Name: w.d.Name})
	for _, k := range w.d.Known {
		if k.Body.Start != nil {
			r.RegisterWorkflowWithOptions(w.d.workflow(k), workflow.RegisterOptions{Name: k.Name})
		}
	}
	return nil
}

// refused turns the panic with which a registry of the SDK refuses a name into an error.
func refused(name string, err *error) {
	if v := recover(); v != nil {
		*err = fault.New(fault.InvalidRequest, fmt.Sprintf("%s can't be registered: %v", name, v))
	}
}
