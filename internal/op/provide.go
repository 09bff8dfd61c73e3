package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

type providing[In, Out any] struct {
	group[In, Out]
	value func(In) (key, value any)
}

func (o *providing[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	f.Provide(o.value(*o.in.At(f)))
	return o.enter(f)
}

// Provide runs s with a key and a value added to its context: those that the parameter value returns for the input. A
// non-empty bad is the reason why value can't be called; the stage then can't be run.
func Provide[In, Out any](kind string, value func(In) (key, value any), bad string, s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out](kind, func(e *plan.Emitter, n *plan.Node) {
		holding(e, s.Node(), func(e *plan.Emitter, g group[In, Out], body plan.Held) {
			e.Op(n, &providing[In, Out]{g, value}, body)
		})
	}, s.Node())
	if bad != "" {
		n.Reject(bad)
	}
	return plan.NewStage[In, Out](n)
}
