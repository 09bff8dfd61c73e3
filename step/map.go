package step

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/seam"
)

// Map makes a step of a function that can't fail and needs nothing but its
// input.
//
// body runs on the loop of the run and must not block. If it panics the step
// fails with InternalError. A nil body is reported when a plan that holds the
// step is started, before anything runs. FTN12 §2.1, §2.2.1 add.
func Map[In, Out any](body func(in In) Out) Step[In, Out] {
	return op("map", body == nil, func(in seam.Cell[In], out seam.Cell[Out], _ *seam.Emitter) frame.Op {
		return &mapOp[In, Out]{in: in, out: out, body: body}
	})
}

type mapOp[In, Out any] struct {
	frame.Leaf
	in   seam.Cell[In]
	out  seam.Cell[Out]
	body func(In) Out
}

func (o *mapOp[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = o.body(*o.in.At(f))
	return frame.Done
}
