package op

import "github.com/futoin-go/asyncsteps/internal/plan"

// Segment describes one stage of a stream. before describes the stream whose elements the stage takes;
// it is nil for a source. holds are the parts of the stage, such as steps that it runs. The node is for [Around]: it can
// be described but not run. A non-empty confined is the reason why no other process can repeat what the stage does.
func Segment[In, A, B any](kind, confined string, before *plan.Node, holds ...*plan.Node) *plan.Node {
	var own *plan.Node
	own = plan.NewNode[A, B](kind, func(e *plan.Emitter) {
		held := make([]plan.Held, len(holds))
		e.Then(func(e *plan.Emitter) {
			in := plan.Input[A](e)
			e.Op(own, &relay[A, B]{in: in, out: plan.Output[B](e)}, held...)
		})
		for i, n := range holds {
			e.Apart(n, plan.Element, func(_ *plan.Emitter, h plan.Held) { held[i] = h })
		}
	}, holds...)
	own.Confined = confined
	if before == nil {
		return own
	}
	n := plan.NewNode[In, B]("stream", func(e *plan.Emitter) {
		e.Emit(own)
		e.Emit(before)
	}, before, own)
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
	var n *plan.Node
	n = plan.NewNode[In, Out](kind, func(e *plan.Emitter) {
		held := make([]plan.Held, len(parts))
		e.Inline(s.Node(), func(e *plan.Emitter, s plan.Step) {
			s.Info = &n.Info
			if e.Tells() {
				s.Holds = held
			}
			e.Add(s)
		})
		for i, part := range parts {
			e.Apart(part, plan.Body, func(_ *plan.Emitter, h plan.Held) { held[i] = h })
		}
	}, append([]*plan.Node{s.Node()}, parts...)...)
	return plan.NewStage[In, Out](n)
}
