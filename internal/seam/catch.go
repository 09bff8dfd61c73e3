package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// catch is a step with an error handler. The handler is an op too; it runs in
// the frame of the step that failed, in its place (E2).
type catch[Out any] struct {
	inner   frame.Op
	handler frame.Op
	give    func(error) // to the handler's input
	answer  *Cell[Out]
	out     *Cell[Out]
}

func (o *catch[Out]) Exec(f *frame.Frame) frame.Verdict { return o.inner.Exec(f) }

func (o *catch[Out]) Resume(f *frame.Frame) frame.Verdict {
	if !f.Handled() {
		return o.inner.Resume(f)
	}
	return o.answered(o.handler.Resume(f))
}

func (o *catch[Out]) Handle(f *frame.Frame, err error) frame.Verdict {
	o.give(err)
	return o.answered(o.handler.Exec(f))
}

func (o *catch[Out]) answered(v frame.Verdict) frame.Verdict {
	if v == frame.Done {
		o.out.V = o.answer.V
	}
	return v
}

func (o *catch[Out]) Loops(g *frame.Signal) bool { return o.inner.Loops(g) }

// Release is asked only if the inner op holds something.
func (o *catch[Out]) Release() { o.inner.(frame.Holder).Release() }

func (o *catch[Out]) handled() frame.Op { return o.inner }

// handles is what an op that has a handler of its own implements: it gives the
// op without it.
type handles interface{ handled() frame.Op }

// Failed is what a handler may be given: the error, and what the step was given
// that has failed.
type Failed[In any] struct {
	In  In
	Err error
}

// Catch gives s the error handler h, a single step. Around a single step
// without a handler it is that step's handler, as with add() of FTN12; otherwise
// it is the handler of a step that holds the steps of s.
func Catch[In, Out any](skip int, s *Stage[In, Out], h *Stage[error, Out]) *Stage[In, Out] {
	return catching(skip+1, s, h, func(_ *Cell[In], to *Cell[error]) func(error) {
		return func(err error) { to.V = err }
	})
}

// CatchInput is Catch for a handler that is also given the input of s.
func CatchInput[In, Out any](skip int, s *Stage[In, Out], h *Stage[Failed[In], Out]) *Stage[In, Out] {
	return catching(skip+1, s, h, func(in *Cell[In], to *Cell[Failed[In]]) func(error) {
		return func(err error) { to.V = Failed[In]{in.V, err} }
	})
}

// catching makes the stage of either; give makes what fills the handler's input.
func catching[In, Given, Out any](
	skip int, s *Stage[In, Out], h *Stage[Given, Out], give func(in *Cell[In], to *Cell[Given]) func(error),
) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("catch", skip+1, func(e *Emitter) {
		o := new(catch[Out])
		in := Input[In](e)
		e.Level(s.node, func(level *frame.Level) {
			var info *frame.Info
			o.inner, info = single(e, level)
			if _, own := o.inner.(handles); own {
				g := new(group)
				g.body.Init(e.inst, level)
				o.inner, info = g, nil
			}
			if info == nil {
				info = &n.Info
			}
			o.out = Input[Out](e)
			given := NewCell[Given](e)
			o.give = give(in, given)
			e.At(given)
			e.Level(h.node, func(level *frame.Level) {
				o.handler = level.Ops[0]
				o.answer = Input[Out](e)
				e.At(o.out)
				e.Op(info, o)
			})
		})
	}, Kid{s.node, Body}, Kid{h.node, Handler})
	return NewStage[In, Out](n)
}
