package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// value is a step whose result is known when the plan is built.
type value[T any] struct {
	frame.Leaf
	v   T
	out Cell[T]
}

func (o *value[T]) Exec(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = o.v
	return frame.Done
}

// Value succeeds with v, whatever reaches it (§1.12).
func Value[In, T any](v T) *Stage[In, T] {
	var n *Node
	n = NewNode[In, T]("value", func(e *Emitter) {
		e.Op(n, &value[T]{v: v, out: Output[T](e)})
	})
	return NewStage[In, T](n)
}

// merge is a step that brings state variables that aren't there yet.
type merge struct {
	frame.Leaf
	vars map[string]any
}

func (o *merge) Exec(f *frame.Frame) frame.Verdict {
	f.Run().Vars().Merge(o.vars)
	return frame.Done
}

// CopyFrom is s, preceded by bringing the state variables of a model (S2).
func CopyFrom[In, Out any](s *Stage[In, Out], vars map[string]any) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("copy", func(e *Emitter) {
		e.add(Step{Info: &n.Info, In: n.In, Out: n.In, op: &merge{vars: vars}})
		e.Emit(s.node)
	}, s.node).sequence(one)
	for name := range vars {
		if frame.Reserved(name) {
			n.Reject("CopyFrom: the run maintains the state variable " + name + " itself")
		}
	}
	return NewStage[In, Out](n)
}
