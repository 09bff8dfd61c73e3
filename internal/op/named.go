package op

import (
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/site"
)

// Named gives the stage a name. If the stage is a single step, that step gets the name.
// Otherwise a new step, which holds the steps of the stage, gets it.
func Named[In, Out any](name string, s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("group", func(e *plan.Emitter, n *plan.Node) {
		single[In, Out](e, n, s.Node(), s.Node().One(), func(e *plan.Emitter, s plan.Step) {
			i := s.Info
			s.Info = &site.Info{Kind: i.Kind, Name: name, Made: i.Made, Code: i.Code, Confined: i.Confined, Decides: i.Decides, Parameters: i.Parameters}
			e.Add(s)
		})
	}, s.Node())
	n.Name = name
	n.Handled = s.Node().Handled
	return plan.NewStage[In, Out](n)
}
