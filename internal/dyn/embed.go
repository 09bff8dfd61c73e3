package dyn

import (
	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Embed makes a dynamic step a stage of a typed plan. The codec in makes the values that the step begins with, and
// out reads the values that it ends with.
func Embed[In, Out any](body Body, code Code, in *binval.Codec[In], out *binval.Codec[Out]) *plan.Stage[In, Out] {
	return EmbedBy(func(*In) (Body, Code) { return body, code }, in, out)
}

// EmbedBy is Embed for a step whose code differs from one execution to the next: the function by returns the body and
// the code for an input.
func EmbedBy[In, Out any](by func(*In) (Body, Code), in *binval.Codec[In], out *binval.Codec[Out]) *plan.Stage[In, Out] {
	result := plan.NewNode[Out, Out]("result", nil)
	n := plan.NewNode[In, Out]("dynamic", func(e *plan.Emitter, n *plan.Node) {
		from, state := plan.Input[In](e), plan.State[guest](e)
		e.Op(n, &embedded[In]{by: by, from: from, codec: in, guest: state})
		// Two ops, so that a handler of the stage is put on a step around both, and doesn't replace the handler of
		// the dynamic step.
		e.Op(result, &decoded[Out]{guest: state, to: plan.Output[Out](e), codec: out})
	})
	n.Several()
	n.Decides = true
	return plan.NewStage[In, Out](n)
}

// guest is the state of an embedded dynamic step in the activation of a typed level.
type guest struct {
	home home
	at   *level // nil while the step isn't in use
	step *Step
}

// Clear frees the step. It is also called for a run that was left between the two ops.
func (g *guest) Clear() {
	if g.at != nil {
		g.at.release()
		g.at, g.step = nil, nil
	}
	g.home.host = nil
}

type embedded[In any] struct {
	by    func(*In) (Body, Code)
	from  plan.Cell[In]
	codec *binval.Codec[In]
	guest plan.Cell[guest]
}

func (o *embedded[In]) Exec(f *frame.Frame) frame.Verdict {
	g := o.guest.At(f)
	g.Clear() // frees a step that used the same memory before
	body, code := o.by(o.from.At(f))
	a, err := o.codec.Encode(o.from.At(f))
	if err != nil {
		return f.Fail(err)
	}
	g.home.inst = f.Activation()
	g.home.host = f.Run().Host()
	g.at = g.home.level(flows.Add(1))
	g.at.value = a
	g.step = g.at.step(plain, body, code)
	return g.step.Exec(f)
}

func (o *embedded[In]) Resume(f *frame.Frame) frame.Verdict { return o.guest.At(f).step.Resume(f) }

func (o *embedded[In]) Handle(f *frame.Frame, err error) frame.Verdict {
	if s := o.guest.At(f).step; s != nil {
		return s.Handle(f, err)
	}
	return frame.Unhandled // the step hasn't begun: its input couldn't be encoded, for example
}

func (o *embedded[In]) Loops(*frame.Jump) bool { return false }

type decoded[Out any] struct {
	frame.Leaf
	guest plan.Cell[guest]
	to    plan.Cell[Out]
	codec *binval.Codec[Out]
}

func (o *decoded[Out]) Exec(f *frame.Frame) frame.Verdict {
	if err := o.codec.Decode(&o.guest.At(f).at.value, o.to.At(f)); err != nil {
		return f.Fail(err)
	}
	return frame.Done
}

// Plan makes a compiled stage a step that can be added to dynamic ones.
func Plan[In, Out any](s *plan.Stage[In, Out], in *binval.Codec[In], out *binval.Codec[Out]) Typed {
	return &compiled[In, Out]{stage: s, in: in, out: out}
}

type compiled[In, Out any] struct {
	stage *plan.Stage[In, Out]
	in    *binval.Codec[In]
	out   *binval.Codec[Out]
}

func (p *compiled[In, Out]) Enter(f *frame.Frame, a *Args) frame.Verdict {
	var v In
	var sub *frame.Activation
	err := p.in.Decode(a, &v)
	if err == nil {
		sub, err = p.stage.Prepare(f, v)
	}
	if err != nil {
		return f.Fail(err)
	}
	return f.Call(sub)
}

func (p *compiled[In, Out]) Leave(f *frame.Frame, a *Args) frame.Verdict {
	var v Out
	_ = plan.Result(f, &v)
	out, err := p.out.Encode(&v)
	if err != nil {
		return f.Fail(err)
	}
	*a = out
	return frame.Done
}
