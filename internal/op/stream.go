package op

import "github.com/futoin-go/asyncsteps/internal/plan"

// Segment describes one stage of a stream. before describes the stream whose elements the stage takes;
// it is nil for a source. holds are the parts of the stage, such as steps that it runs. The node is for [Around]: it can
// be described but not run. A non-empty confined is the reason why no other process can repeat what the stage does.
func Segment[In, A, B any](kind, confined string, before *plan.Node, holds ...*plan.Node) *plan.Node {
	own := plan.NewNode[A, B](kind, withParts(plan.Element, holds, func(e *plan.Emitter, n *plan.Node, held []plan.Held) {
		e.Then(func(e *plan.Emitter) {
			in := plan.Input[A](e)
			e.Op(n, &relay[A, B]{in: in, out: plan.Output[B](e)}, held...)
		})
	}), holds...)
	own.Confined = confined
	if before == nil {
		return own
	}
	n := plan.NewNode[In, B]("stream", inOrder(before, own), before, own)
	n.Several()
	own.Tell(func() []plan.Parameter { // the caller gets n, and so calls n.Tell
		if n.Parameters == nil {
			return nil
		}
		return n.Parameters()
	})
	return n
}

// relay stands for a stage of a stream in a description.
type relay[A, B any] struct {
	value[B]
	in  plan.Cell[A]
	out plan.Cell[B]
}

// Around returns s, a single step, as a step of the given kind that holds parts: Err and descriptions include
// them. s must enter the parts by itself.
func Around[In, Out any](kind string, s *plan.Stage[In, Out], parts ...*plan.Node) *plan.Stage[In, Out] {
	n := s.Node()
	return plan.NewStage[In, Out](plan.NewNode[In, Out](kind, withParts(plan.Body, parts, inside(n)), append([]*plan.Node{n}, parts...)...))
}

// inside emits n as the step of the node around it.
func inside(n *plan.Node) func(*plan.Emitter, *plan.Node, []plan.Held) {
	return func(e *plan.Emitter, around *plan.Node, held []plan.Held) {
		e.Inline(n, func(e *plan.Emitter, s plan.Step) {
			s.Info = &around.Info
			if e.Tells() {
				s.Holds = held
			}
			e.Add(s)
		})
	}
}

// withParts emits a stage as emit does, and then its parts. Each function that emit schedules finds them in the slice.
func withParts(role plan.Role, parts []*plan.Node, emit func(*plan.Emitter, *plan.Node, []plan.Held)) func(*plan.Emitter, *plan.Node) {
	return func(e *plan.Emitter, n *plan.Node) {
		held := make([]plan.Held, len(parts))
		emit(e, n, held)
		for i, part := range parts {
			e.Apart(part, role, func(_ *plan.Emitter, h plan.Held) { held[i] = h })
		}
	}
}
