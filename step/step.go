package step

import (
	"strings"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/seam"
)

// Step is one stage of a plan: it takes an In and gives an Out, or fails.
//
// The functions of this package make steps of Go functions; package flow
// composes them. Stages are immutable values: share them between goroutines,
// use one in many plans, run it many times at once.
//
// The interface is sealed: Stage returns an internal type. A type of your own
// can still be a Step by embedding one.
type Step[In, Out any] interface {
	// Stage is for the packages of this module.
	Stage() *seam.Stage[In, Out]
}

// stage is what the constructors of this package return.
type stage[In, Out any] struct{ s *seam.Stage[In, Out] }

func (s stage[In, Out]) Stage() *seam.Stage[In, Out] { return s.s }

// op makes the stage of a body: one op.
func op[In, Out any](kind string, missing bool, build func(in seam.Cell[In], out seam.Cell[Out], e *seam.Emitter) frame.Op) Step[In, Out] {
	var n *seam.Node
	n = seam.NewNode[In, Out](kind, func(e *seam.Emitter) {
		in := seam.Input[In](e)
		e.Op(n, build(in, seam.Output[Out](e), e))
	})
	if missing {
		n.Reject("step." + strings.ToUpper(kind[:1]) + kind[1:] + ": the body is nil")
	}
	return stage[In, Out]{seam.NewStage[In, Out](n)}
}
