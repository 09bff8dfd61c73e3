package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// Outlet is an instance as those see it who enter it as sub-steps and want its
// result: its input is in place and needs no type any more.
type Outlet[Out any] struct {
	frame.Instance
	Out *Cell[Out]
}

// Prepare takes an instance of s, for sub-steps of r, and gives it its input.
func (s *Stage[In, Out]) Prepare(r *frame.Run, in In) (*Outlet[Out], error) {
	inst := s.atHand(r)
	if inst == nil {
		var err error
		if inst, err = s.Acquire(); err != nil {
			return nil, err
		}
	}
	inst.In.V = in
	inst.Prepare()
	return &inst.Outlet, nil
}

// Enter starts the sub-steps.
func (o *Outlet[Out]) Enter(f *frame.Frame) frame.Verdict { return f.Call(&o.Instance) }

// Error makes an Outlet fit where an error does. Nobody calls it.
func (o *Outlet[Out]) Error() string { return "sub-steps" }

// call is a step that runs an instance of another stage.
type call[In, Out any] struct {
	frame.Leaf
	stage *Stage[In, Out]
	in    *Cell[In]
	out   *Cell[Out]
	sub   *Outlet[Out] // while it runs
}

func (o *call[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	sub, err := o.stage.Prepare(f.Run(), o.in.V)
	if err != nil {
		return f.Fail(err)
	}
	o.sub = sub
	return sub.Enter(f)
}

func (o *call[In, Out]) Resume(*frame.Frame) frame.Verdict {
	o.out.V = o.sub.Out.V
	o.sub = nil
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
