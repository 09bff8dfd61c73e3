package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// Sub is an activation of a stage whose input is in place, before or while it
// runs as sub-steps.
type Sub[Out any] struct {
	inst *frame.Instance
	out  *Cell[Out]
	gen  uint32 // of the instance: one activation can be entered once
}

// Prepare takes an instance of s and gives it its input.
func (s *Stage[In, Out]) Prepare(in In) (Sub[Out], error) {
	inst, err := s.Acquire()
	if err != nil {
		return Sub[Out]{}, err
	}
	inst.In.V = in
	return Sub[Out]{&inst.Instance, inst.Out, inst.Generation()}, nil
}

// Enter starts the sub-steps.
func (s *Sub[Out]) Enter(f *frame.Frame) frame.Verdict { return f.Call(s.inst) }

// Take moves the result of the ended sub-steps to the cell.
func (s *Sub[Out]) Take(to *Cell[Out]) {
	to.V = s.out.V
	*s = Sub[Out]{}
}

// Fresh says whether the activation is still to be entered.
func (s *Sub[Out]) Fresh() bool { return s.inst != nil && s.inst.Fresh(s.gen) }

// Drop gives back an activation that was not entered.
func (s *Sub[Out]) Drop() {
	if s.Fresh() {
		s.inst.Release()
	}
	*s = Sub[Out]{}
}

// Some says whether there is an activation.
func (s *Sub[Out]) Some() bool { return s.inst != nil }

// call is a step that runs an instance of another stage.
type call[In, Out any] struct {
	frame.Leaf
	stage *Stage[In, Out]
	in    *Cell[In]
	out   *Cell[Out]
	sub   Sub[Out]
}

func (o *call[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	sub, err := o.stage.Prepare(o.in.V)
	if err != nil {
		return f.Fail(err)
	}
	o.sub = sub
	return sub.Enter(f)
}

func (o *call[In, Out]) Resume(*frame.Frame) frame.Verdict {
	o.sub.Take(o.out)
	return frame.Done
}

// Call runs s as sub-steps in an instance of its own, taken from the pool of s
// when it is reached, instead of making it a part of every plan that uses it.
func Call[In, Out any](skip int, s *Stage[In, Out]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("call", skip+1, func(e *Emitter) {
		in := Input[In](e)
		e.Op(&n.Info, &call[In, Out]{stage: s, in: in, out: Output[Out](e)})
	}, Kid{s.node, Body})
	return NewStage[In, Out](n)
}
