package op

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/tool"
)

// catch is a step with an error handler. The handler is an op too. It takes the
// place of the failed step, in the same frame (E2).
type catch[Out any] struct {
	inner   frame.Op
	handler frame.Op
	give    func(*frame.Frame, error) // stores the error in the input of the handler
	answer  plan.Cell[Out]
	out     plan.Cell[Out]
}

func (o *catch[Out]) Exec(f *frame.Frame) frame.Verdict { return o.inner.Exec(f) }

func (o *catch[Out]) Resume(f *frame.Frame) frame.Verdict {
	if !f.Handled() {
		return o.inner.Resume(f)
	}
	return o.answered(f, o.handler.Resume(f))
}

func (o *catch[Out]) Handle(f *frame.Frame, err error) frame.Verdict {
	o.give(f, err)
	return o.answered(f, o.handler.Exec(f))
}

func (o *catch[Out]) answered(f *frame.Frame, v frame.Verdict) frame.Verdict {
	if v == frame.Done {
		*o.out.At(f) = *o.answer.At(f)
	}
	return v
}

func (o *catch[Out]) Loops(g *frame.Jump) bool { return o.inner.Loops(g) }

// Release is called only if the inner op is a frame.Holder.
func (o *catch[Out]) Release(f *frame.Frame) { o.inner.(frame.Holder).Release(f) }

// Finalize is called only if the inner op is a frame.Finalizer.
func (o *catch[Out]) Finalize(f *frame.Frame, how frame.Leaving) bool {
	return o.inner.(frame.Finalizer).Finalize(f, how)
}

// Grace returns the grace of the inner op; sets is false if that op sets none.
func (o *catch[Out]) Grace() (d time.Duration, sets bool) {
	if g, ok := o.inner.(frame.Gracer); ok {
		return g.Grace()
	}
	return 0, false
}

// Hear implements frame.Hearer. Once the handler was asked, the inner op has ended and isn't told.
func (o *catch[Out]) Hear(f *frame.Frame) {
	if h, ok := o.inner.(frame.Hearer); ok && !f.Handled() {
		h.Hear(f)
	}
}

func (o *catch[Out]) Body() *tool.Body {
	if w, ok := o.inner.(interface{ Body() *tool.Body }); ok {
		return w.Body()
	}
	return nil
}

// Winners implements frame.Racer. If the handler has answered, no branch has won.
func (o *catch[Out]) Winners(f *frame.Frame) []int {
	if inner, races := o.inner.(frame.Racer); races && !f.Handled() {
		return inner.Winners(f)
	}
	return nil
}

func (o *catch[Out]) handled() frame.Op { return o.inner }

// handles is implemented by catch; handled returns the op without the handler.
type handles interface{ handled() frame.Op }

// Guard returns the Key of the guard of the inner op, nil if it has none.
func (o *catch[Out]) Guard() any {
	if s, ok := o.inner.(interface{ Guard() any }); ok {
		return s.Guard()
	}
	return nil
}

// Failed is the input of a handler of CatchInput: the error, and the input of the stage that
// has failed.
type Failed[In any] struct {
	In  In
	Err error
}

// Catch gives s the error handler h, which must be a single step. If s is a single step
// without a handler, h becomes the handler of that step, as with add() of FTN12. Otherwise
// h becomes the handler of a new step that holds the steps of s.
func Catch[In, Out any](s *plan.Stage[In, Out], h *plan.Stage[error, Out]) *plan.Stage[In, Out] {
	return catching(s, h, false, func(_ plan.Cell[In], to plan.Cell[error]) func(*frame.Frame, error) {
		return func(f *frame.Frame, err error) { *to.At(f) = err }
	})
}

// CatchInput is Catch for a handler that is also given the input of s.
func CatchInput[In, Out any](s *plan.Stage[In, Out], h *plan.Stage[Failed[In], Out]) *plan.Stage[In, Out] {
	return catching(s, h, true, func(in plan.Cell[In], to plan.Cell[Failed[In]]) func(*frame.Frame, error) {
		return func(f *frame.Frame, err error) { *to.At(f) = Failed[In]{*in.At(f), err} }
	})
}

// catching makes the stage of Catch and of CatchInput. give returns the function that fills the handler's input. If keep is
// true, that function may also read the input of s.
func catching[In, Given, Out any](
	s *plan.Stage[In, Out], h *plan.Stage[Given, Out], keep bool,
	give func(in plan.Cell[In], to plan.Cell[Given]) func(*frame.Frame, error),
) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("catch", func(e *plan.Emitter, n *plan.Node) {
		o := new(catch[Out])
		in, release := plan.Input[In](e), func(*plan.Emitter) {}
		if keep {
			release = e.Keep()
		}
		// If the step has a handler already, that handler is asked first.
		own := s.Node().One() && !s.Node().Handled
		single[In, Out](e, n, s.Node(), own, func(e *plan.Emitter, s plan.Step) {
			o.inner, o.out = s.Op, plan.Input[Out](e)
			out, given := e.Value(), plan.NewCell[Given](e)
			o.give = give(in, given)
			plan.At(e, given)
			e.Keep()
			e.Inline(h.Node(), func(e *plan.Emitter, handler plan.Step) {
				o.handler, o.answer = handler.Op, plan.Input[Out](e)
				plan.Free(e, given)
				plan.Free(e, o.answer)
				e.SetValue(out)
				release(e)
				s.Op = o
				if e.Tells() {
					s.Holds = append(s.Holds, plan.Held{Role: plan.Handler, Node: h.Node()})
				}
				e.Add(s)
			})
		})
	}, s.Node(), h.Node())
	n.Handled = true
	return plan.NewStage[In, Out](n)
}
