package temporal

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/flow"
)

func (x *instance) chosen() *flow.Tree {
	return engine.Resolved(x.Plans[""], func(patch string) engine.Version {
		if x.former[patch] {
			return engine.Former
		}
		return engine.Present
	})
}

func (x *instance) answer() error {
	err := workflow.SetQueryHandlerWithOptions(x.ctx, engine.QueryPlace, func() (string, error) { return x.stands.Text(), nil },
		workflow.QueryHandlerOptions{Description: "the steps that the run waits for"})
	if err != nil {
		return err
	}
	return workflow.SetQueryHandlerWithOptions(x.ctx, engine.QueryPicture,
		func() (string, error) { return x.stands.Picture(x.chosen(), x.at) },
		workflow.QueryHandlerOptions{Description: "the plan as a Mermaid diagram, with the steps that the run waits for"})
}

func (x *instance) standing() error {
	if x.Attribute == "" {
		return nil
	}
	label := x.stands.First()
	if label == x.shown {
		return nil
	}
	x.shown = label
	return workflow.UpsertTypedSearchAttributes(x.ctx, temporal.NewSearchAttributeKeyKeyword(x.Attribute).ValueSet(label))
}

// Before implements engine.Run. The decision is stored in the history of the workflow.
func (x *instance) Before(patch string) bool {
	defer x.broken()
	before := workflow.GetVersion(x.ctx, patch, workflow.DefaultVersion, 1) == workflow.DefaultVersion
	if before {
		x.former[patch] = true
	}
	return before
}

// Long implements engine.Run. The answer of the server is a part of the history.
func (x *instance) Long() bool { return workflow.GetInfo(x.ctx).GetContinueAsNewSuggested() }
