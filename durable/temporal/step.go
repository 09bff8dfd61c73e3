package temporal

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
)

type stepOptions struct {
	activity workflow.ActivityOptions
	local    *workflow.LocalActivityOptions // nil if the body is a regular activity
}

// Step returns a copy of w with options for the bodies of the steps with the given name, set by flow.Named: the task queue whose
// workers call them, limits, the heartbeat, priority. Zero fields stand for the defaults. Give the same options to all workers.
//
// With a RetryPolicy Temporal repeats a call after an error of the body, and the plan sees the last one. The policy also counts
// calls that were lost with their worker. So its MaximumAttempts, like a ScheduleToCloseTimeout, can fail the step because workers
// were lost. Without a RetryPolicy an error of the body goes to the plan: see package retry. ActivityID and WaitForCancellation are
// not taken from o.
func (w Workflow) Step(name string, o workflow.ActivityOptions) Workflow {
	return w.with(name, stepOptions{activity: o})
}

// LocalStep returns a copy of w in which the bodies of the steps with the given name are called by the worker that executes the
// workflow, as local activities of Temporal: the server gets only the results, several at once. Use it for bodies that take
// milliseconds. If a worker is lost, all local calls of its workflow task are repeated. A step that is left doesn't wait for its
// body. The pages of the server don't show a call while it lasts. Without a limit in o a call may take ten seconds. An error of the
// body goes to the plan. Making a step local, or regular again, is a change of the plan after which live runs can't be repeated,
// and which durable.Patch doesn't cover. So give the workflow or the step another name.
func (w Workflow) LocalStep(name string, o workflow.LocalActivityOptions) Workflow {
	if o.StartToCloseTimeout == 0 && o.ScheduleToCloseTimeout == 0 {
		o.StartToCloseTimeout = 10 * time.Second
	}
	return w.with(name, stepOptions{local: &o})
}

func (w Workflow) with(name string, o stepOptions) Workflow {
	steps := maps.Clone(w.d.steps)
	if steps == nil {
		steps = make(map[string]stepOptions)
	}
	steps[name] = o
	w.d.steps = steps
	return w
}

func (d definition) unknown() error {
	for _, name := range slices.Sorted(maps.Keys(d.steps)) {
		if name == "" || !slices.ContainsFunc(d.Known, func(k engine.Known) bool { return k.Body.Call != nil && k.Place.Name == name }) {
			return fault.New(fault.InvalidRequest, fmt.Sprintf("%s: options are given to a step %q, and no body has that name", d.Name, name))
		}
	}
	return nil
}

// retries reports whether Temporal repeats a call after an error of the body.
func (o stepOptions) retries() bool { return o.activity.RetryPolicy != nil }

// of returns the options for a call of a body. The id of the activity, which Temporal's pages show, is key. Without a RetryPolicy the
// server repeats a call that was lost with its worker, after pauses of at most 100 seconds.
func (o stepOptions) of(d definition, key string) workflow.ActivityOptions {
	a := o.activity
	a.ActivityID, a.WaitForCancellation = key, true
	if a.StartToCloseTimeout == 0 && a.ScheduleToCloseTimeout == 0 {
		a.StartToCloseTimeout = d.Longest
	}
	if a.HeartbeatTimeout == 0 {
		a.HeartbeatTimeout = d.Heartbeat
	}
	return a
}

func localName(name string) string { return name + " (local)" }

// localActivity returns the function that the worker calls for a body of [Workflow.LocalStep]. The last argument of the function is
// the key and the version of the call, because Temporal itself makes the ids of local activities.
func (d definition) localActivity(k engine.Known) any {
	body := k.Body
	errorType := reflect.TypeFor[error]()
	typ := reflect.FuncOf(
		[]reflect.Type{reflect.TypeFor[context.Context](), body.In, reflect.TypeFor[string]()},
		[]reflect.Type{body.Out, errorType}, false)
	return reflect.MakeFunc(typ, func(args []reflect.Value) []reflect.Value {
		ctx, _ := reflect.TypeAssert[context.Context](args[0])
		call, _ := engine.ParseCall(args[2].String())
		out, err := d.perform(engine.WithKey(ctx, activity.GetInfo(ctx).WorkflowExecution.ID+call), body, args[1], false)
		if err == nil {
			if large := storable(out); large != nil {
				err = d.encode(large)
			}
		}
		failure := reflect.New(errorType).Elem()
		if err != nil {
			failure.Set(reflect.ValueOf(err))
			out = reflect.Zero(body.Out)
		}
		return []reflect.Value{out, failure}
	}).Interface()
}

func storable(out reflect.Value) error {
	payload, err := payloadOf(out)
	if err != nil {
		return engine.Unstorable("the result", err)
	}
	return engine.TooLarge("the result", proto.Size(payload))
}
