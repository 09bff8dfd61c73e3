package dyn

import (
	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/seam"
)

// Embed makes a dynamic step a stage of a typed plan: in makes the values that it
// begins with, out reads those that it ends with.
func Embed[In, Out any](skip int, body Body, code Code, in *binval.Codec[In], out *binval.Codec[Out]) *seam.Stage[In, Out] {
	var n *seam.Node
	n = seam.NewNode[In, Out]("dynamic", skip+1, func(e *seam.Emitter) {
		from := seam.Input[In](e)
		h := &home{inst: e.Instance()}
		at := h.level(0)
		e.Instance().Keep(at) // for a run that is left between the two ops
		e.Op(&n.Info, &embedded[In]{step: at.step(plain, body, code), from: from, codec: in})
		// Two ops: so that a handler around is one around, not instead of, the
		// handler that the step has itself.
		e.Op(result, &decoded[Out]{at: at, to: seam.Output[Out](e), codec: out})
	})
	return seam.NewStage[In, Out](n)
}

var result = &frame.Info{Kind: "result"}

// embedded is the step itself, in the frame of the typed plan. It doesn't embed the Step, because with -race the wrapper
// of a method that is promoted from an embedded pointer enters a frame that it never leaves.
type embedded[In any] struct {
	step  *Step
	from  *seam.Cell[In]
	codec *binval.Codec[In]
}

func (o *embedded[In]) Exec(f *frame.Frame) frame.Verdict {
	a, err := o.codec.Encode(&o.from.V)
	if err != nil {
		return f.Fail(err)
	}
	o.step.at.flow = flows.Add(1)
	o.step.home.report = f.Run().Tool().Host().Report
	o.step.at.value = a
	return o.step.Exec(f)
}

func (o *embedded[In]) Resume(f *frame.Frame) frame.Verdict { return o.step.Resume(f) }

func (o *embedded[In]) Handle(f *frame.Frame, err error) frame.Verdict { return o.step.Handle(f, err) }

func (o *embedded[In]) Loops(g *frame.Signal) bool { return o.step.Loops(g) }

// Clear implements frame.Cell.
func (l *level) Clear() { l.home.drop(&l.value) }

// decoded turns the step's values into the typed one.
type decoded[Out any] struct {
	frame.Leaf
	at    *level
	to    *seam.Cell[Out]
	codec *binval.Codec[Out]
}

func (o *decoded[Out]) Exec(f *frame.Frame) frame.Verdict {
	if err := o.codec.Decode(&o.at.value, &o.to.V); err != nil {
		return f.Fail(err)
	}
	return frame.Done
}

// Plan makes a compiled stage a step among dynamic ones.
func Plan[In, Out any](s *seam.Stage[In, Out], in *binval.Codec[In], out *binval.Codec[Out]) Typed {
	return &plan[In, Out]{stage: s, in: in, out: out}
}

type plan[In, Out any] struct {
	stage *seam.Stage[In, Out]
	in    *binval.Codec[In]
	out   *binval.Codec[Out]
	sub   *seam.Outlet[Out]
}

func (p *plan[In, Out]) Enter(f *frame.Frame, a *Args) frame.Verdict {
	var v In
	err := p.in.Decode(a, &v)
	if err == nil {
		p.sub, err = p.stage.Prepare(f.Run(), v)
	}
	if err != nil {
		return f.Fail(err)
	}
	return p.sub.Enter(f)
}

func (p *plan[In, Out]) Leave(f *frame.Frame, a *Args) frame.Verdict {
	sub := p.sub
	p.sub = nil
	var err error
	if *a, err = p.out.Encode(&sub.Out.V); err != nil {
		return f.Fail(err)
	}
	return frame.Done
}
