package temporal

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/engine"
)

// Engine returns the engine behind a Temporal client. The workers that serve the task queue must have the workflow
// registered. The client, with its namespace, its converter of data and its interceptors, still belongs to the caller. A
// nil client gives the zero durable.Engine.
func Engine(c client.Client, taskQueue string) durable.Engine {
	if c == nil {
		return durable.Engine{}
	}
	return durable.On(server{c, taskQueue})
}

type server struct {
	client.Client

	queue string
}

// Start implements engine.Engine.
func (s server) Start(ctx context.Context, d *engine.Definition, id string, in any) error {
	_, err := s.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: s.queue,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
	}, d.Name, in)
	return refusal("the input of the run", err)
}

// Result implements engine.Engine.
func (s server) Result(ctx context.Context, d *engine.Definition, id string, out any) error {
	err := s.GetWorkflow(ctx, id, "").Get(ctx, out)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return definition{d}.decode(found(id, err))
}

// found returns err, or durable.ErrNoRun if err says so.
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
