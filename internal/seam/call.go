package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// call is a step that runs a stage which was compiled by itself.
type call[In, Out any] struct {
	frame.Leaf
	stage *Stage[In, Out]
	in    Cell[In]
	out   Cell[Out]
}

func (o *call[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	sub, err := o.stage.Prepare(f, *o.in.At(f))
	if err != nil {
		return f.Fail(err)
	}
	return f.Call(sub)
}

func (o *call[In, Out]) Resume(f *frame.Frame) frame.Verdict { return Result(f, o.out.At(f)) }

// Call runs s as sub-steps, from the one program of s, instead of making it a
// part of every plan that uses it.
func Call[In, Out any](s *Stage[In, Out]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("call", func(e *Emitter) {
		in := Input[In](e)
		o := &call[In, Out]{stage: s, in: in, out: Output[Out](e)}
		e.apart(s.node, Body, func(e *Emitter, body Held) { e.Op(n, o, body) })
	}, s.node)
	return NewStage[In, Out](n)
}
