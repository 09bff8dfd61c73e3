package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Map returns a step that applies body to its input.
func Map[In, Out any](body func(In) Out) *plan.Stage[In, Out] {
	return One("map", body, func(in plan.Cell[In], out plan.Cell[Out], _ *plan.Emitter) frame.Op {
		return frame.Plain(func(f *frame.Frame) frame.Verdict {
			*out.At(f) = body(*in.At(f))
			return frame.Done
		})
	})
}
