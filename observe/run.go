package observe

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Run identifies the run that is observed. It is a value, and may be kept.
type Run struct {
	// ID is the number of the run, from 1, among the observed runs of the process.
	ID uint64
	// Parent is the ID of the run whose step has started this one with the context
	// of its scope; 0 if there is none.
	Parent uint64
	// Part is set if the run executes a part of the plan of another run, as for flow.On. The paths of its steps begin at the root
	// of that plan.
	Part bool
	// Started is when the run was started; Event.At counts from here on.
	Started time.Time

	node *plan.Node
	id   *identity // nil in the zero Run
}

// PlanID tells plans apart. It can be compared and be the key of a map.
type PlanID struct {
	name, kind string
	made       plan.Origin
}

// PlanID returns an ID that is the same for runs of one plan. It is also the same for plans that the same calls have made
// under the same name, as in a function that builds a plan for each request. It is zero for the zero Run. PlanID is cheap: it
// doesn't look up [Run.Site].
func (r Run) PlanID() PlanID {
	if r.node == nil {
		return PlanID{}
	}
	return PlanID{r.node.Name, r.node.Kind, r.node.Made}
}

// Name returns the name of the plan: the one given by flow.Named, or else, for a plan of one step,
// the function that the step calls, or else what the plan was built by: "then", "par", ….
func (r Run) Name() string {
	switch {
	case r.node == nil:
		return ""
	case r.node.Called() != "":
		return r.node.Called()
	default:
		return r.node.Kind
	}
}

// Site returns where the plan was built.
func (r Run) Site() fault.Site {
	if r.node == nil {
		return fault.Site{}
	}
	return r.node.Site()
}

// Plan returns the plan as data, built anew by each call; nil for the zero Run. Any goroutine
// may call it, even after the run.
func (r Run) Plan() *flow.Tree {
	if r.node == nil {
		return nil
	}
	return flow.Describe(described{r.node})
}

// described makes a stage of a node, to describe the node. The stage is never run, so its types don't matter.
type described struct{ node *plan.Node }

func (d described) Stage() *plan.Stage[struct{}, struct{}] {
	return plan.NewStage[struct{}, struct{}](d.node)
}
