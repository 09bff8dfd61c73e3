package seam

// Segment tells of one stage of a stream: it takes elements of the stream that is
// described by before, nil for a source, and enters holds for them. It is for
// [Around] only: a stream is no step, so a part can be described and can't be run.
func Segment[In, A, B any](kind string, before *Node, holds ...*Node) *Node {
	own := NewNode[A, B](kind, nil, holds...)
	own.emit = func(e *Emitter) {
		held := make([]Held, len(holds))
		e.Then(func(e *Emitter) {
			in := Input[A](e)
			e.Op(own, &relay[A, B]{in: in, out: Output[B](e)}, held...)
		})
		for i, n := range holds {
			e.apart(n, Element, func(_ *Emitter, h Held) { held[i] = h })
		}
	}
	if before == nil {
		return own
	}
	n := NewNode[In, B]("stream", func(e *Emitter) {
		e.Emit(own)
		e.Emit(before)
	}, before, own)
	n.Several()
	return n
}

// relay stands for a stage of a stream in a description.
type relay[A, B any] struct {
	value[B]
	in  Cell[A]
	out Cell[B]
}

// Around is s, a single step, under the name kind: a step that enters parts by
// itself, which Err and descriptions tell of therefore.
func Around[In, Out any](kind string, s *Stage[In, Out], parts ...*Node) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out](kind, func(e *Emitter) {
		held := make([]Held, len(parts))
		e.Inline(s.node, func(e *Emitter, s Step) {
			s.Info = &n.Info
			if e.tells {
				s.Holds = held
			}
			e.add(s)
		})
		for i, part := range parts {
			e.apart(part, Body, func(_ *Emitter, h Held) { held[i] = h })
		}
	}, append([]*Node{s.node}, parts...)...)
	return NewStage[In, Out](n)
}
