package temporal

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/engine"
)

// Engine returns the engine behind a Temporal client. The workers that serve the task queue must have the workflow registered. The
// Engine uses the namespace, the converter of data and the interceptors of the client, and doesn't close the client. For a nil
// client Engine returns the zero durable.Engine.
func Engine(c client.Client, taskQueue string) durable.Engine {
	if c == nil {
		return durable.Engine{}
	}
	return EngineWith(c, client.StartWorkflowOptions{TaskQueue: taskQueue})
}

// EngineWith is [Engine] with options for the runs that it starts, such as the task queue, memo, search attributes, delay, timeouts
// and priority. Make an Engine for each start if the options differ. The id of the run, and the policies for an id that is in use
// already, are not taken from o. A timeout of the whole run ends the run where it stands, and nothing is undone, as when a run is
// terminated. So limit the plan instead, by flow.Timeout.
func EngineWith(c client.Client, o client.StartWorkflowOptions) durable.Engine {
	if c == nil {
		return durable.Engine{}
	}
	o.WorkflowIDReusePolicy = enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	o.WorkflowIDConflictPolicy = enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL
	o.WorkflowExecutionErrorWhenAlreadyStarted = true
	return durable.On(server{c, o})
}

type server struct {
	client.Client

	start client.StartWorkflowOptions
}

// Start implements engine.Engine.
func (s server) Start(ctx context.Context, d *engine.Definition, id string, in any) error {
	options := s.start
	options.ID = id
	_, err := s.ExecuteWorkflow(ctx, options, d.Name, in)
	if _, there := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); there {
		name, err := s.workflow(ctx, id)
		if err != nil {
			return err
		}
		return d.Started(id, name)
	}
	return refusal("the input of the run", err)
}

func (s server) workflow(ctx context.Context, id string) (string, error) {
	run, err := s.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return "", found(id, err)
	}
	return run.GetWorkflowExecutionInfo().GetType().GetName(), nil
}

// Result implements engine.Engine.
func (s server) Result(ctx context.Context, d *engine.Definition, id string, out any) error {
	name, err := s.workflow(ctx, id)
	if err == nil {
		if err = d.Gives(id, name, reflect.TypeOf(out).Elem()); err != nil {
			return err
		}
		err = s.GetWorkflow(ctx, id, "").Get(ctx, out)
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, ended := errors.AsType[*temporal.TerminatedError](err); ended {
		return s.terminated(ctx, id)
	}
	return definition{Definition: d}.decode(found(id, err))
}

// terminated returns the error of a run that was terminated, with the reason from the history.
func (s server) terminated(ctx context.Context, id string) error {
	last := s.GetWorkflowHistory(ctx, id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT)
	if !last.HasNext() {
		return engine.ErrTerminated
	}
	event, err := last.Next()
	if err != nil {
		return fmt.Errorf("%w, for a reason that can't be read: %w", engine.ErrTerminated, err)
	}
	why := event.GetWorkflowExecutionTerminatedEventAttributes()
	return fmt.Errorf("%w, by %q: %s", engine.ErrTerminated, why.GetIdentity(), why.GetReason())
}

// found returns err, or a durable.ErrNoRun if the server doesn't find the run, or finds that the run has ended.
func found(id string, err error) error {
	if none, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return fmt.Errorf("%w: %q: %w", durable.ErrNoRun, id, none)
	}
	return err
}

// Cancel implements engine.Engine.
func (s server) Cancel(ctx context.Context, id string) error {
	return found(id, s.CancelWorkflow(ctx, id, ""))
}

// Signal implements engine.Engine.
func (s server) Signal(ctx context.Context, id, name string, v reflect.Value) error {
	return refusal("the signal", found(id, s.SignalWorkflow(ctx, id, "", name, v.Interface())))
}

// Query implements engine.Engine.
func (s server) Query(ctx context.Context, _ *engine.Definition, id, what string) (text string, err error) {
	answer, err := s.QueryWorkflow(ctx, id, "", what)
	if err != nil {
		return "", found(id, err)
	}
	return text, answer.Get(&text)
}
