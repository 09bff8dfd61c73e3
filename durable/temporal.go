package durable

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
)

// Temporal returns the engine behind a Temporal client. The workers that serve the task queue must have the workflow
// registered. The client, with its namespace, its converter of data and its interceptors, still belongs to the caller. A
// nil client gives the zero Engine.
func Temporal(c client.Client, taskQueue string) Engine {
	if c == nil {
		return Engine{}
	}
	return Engine{server{c, taskQueue}}
}

type server struct {
	client.Client

	queue string
}

func (s server) start(ctx context.Context, d *definition, id string, in any) error {
	_, err := s.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: s.queue,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
	}, d.name, in)
	return err
}

func (s server) result(ctx context.Context, d *definition, id string, out any) error {
	err := s.GetWorkflow(ctx, id, "").Get(ctx, out)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return d.decode(found(id, err))
}

// found returns err, or [ErrNoRun] if err says so.
func found(id string, err error) error {
	if none, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return fmt.Errorf("%w: %q: %w", ErrNoRun, id, none)
	}
	return err
}

func (s server) cancel(ctx context.Context, id string) error {
	return found(id, s.CancelWorkflow(ctx, id, ""))
}

func (s server) signal(ctx context.Context, id, name string, v reflect.Value) error {
	return found(id, s.SignalWorkflow(ctx, id, "", name, v.Interface()))
}

func (s server) query(ctx context.Context, _ *definition, id, what string) (text string, err error) {
	answer, err := s.QueryWorkflow(ctx, id, "", what)
	if err != nil {
		return "", found(id, err)
	}
	return text, answer.Get(&text)
}
