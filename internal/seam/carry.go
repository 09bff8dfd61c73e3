package seam

import (
	"reflect"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// carry is a step after other ones: it puts their result together with what they
// were given.
type carry[In, Out, T any] struct {
	frame.Leaf
	in   Cell[In]
	mid  Cell[Out]
	out  Cell[T]
	both func(In, Out) T
}

func (o *carry[In, Out, T]) Exec(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = o.both(*o.in.At(f), *o.mid.At(f))
	return frame.Done
}

// Carry is s, followed by a step that makes both of its input and its result. both is
// no code of the user's.
func Carry[In, Out, T any](kind string, s *Stage[In, Out], both func(In, Out) T) *Stage[In, T] {
	var n *Node
	n = NewNode[In, T](kind, func(e *Emitter) {
		in, release := Input[In](e), e.Keep()
		e.Then(func(e *Emitter) {
			o := &carry[In, Out, T]{in: in, mid: Input[Out](e), both: both}
			release(e)
			o.out = Output[T](e)
			e.add(Step{Info: &n.Info, In: reflect.TypeFor[Out](), Out: n.Out, op: o})
		})
		e.Emit(s.node)
	}, s.node).sequence(one)
	return NewStage[In, T](n)
}
