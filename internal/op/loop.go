package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Source produces the iterations of a loop. Each run of the loop has its own copy of the S.
type Source[S, In, Item, T any] interface {
	*S
	// Open gets the input of the loop and returns the first carried value.
	Open(in In) T
	// Next fills the input of the next iteration; it returns false to end the loop.
	Next(carry T, item *Item) bool
}

// closer is a Source that must be closed however the loop ends.
type closer interface{ Close() }

// inner marks the Source of a loop that isn't a loop to users, because the library has made it for something else: a break
// or continue in the body acts on a loop around it.
type inner interface{ Inner() }

// loop is a step that repeats its body. It carries a value from iteration to iteration: the result of one goes to
// Source.Next, which makes the input of the next.
type loop[S, In, Item, T any, P Source[S, In, Item, T]] struct {
	frame.Leaf
	body   *frame.Level
	source S // as it is before Open
	closes bool
	inner  bool
	label  *frame.Label
	in     plan.Cell[In]
	out    plan.Cell[T]
	state  plan.Cell[iteration[S, T]]
}

type iteration[S, T any] struct {
	source S
	carry  T
	close  func() // closes source; made once for this memory, nil until a source needs it
}

func (s *iteration[S, T]) Clear() { *s = iteration[S, T]{close: s.close} }

func (o *loop[S, In, Item, T, P]) Exec(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	s.source = o.source
	if o.closes {
		if s.close == nil {
			s.close = func() { any(P(&s.source)).(closer).Close() }
		}
		f.Defer(s.close)
	}
	s.carry = P(&s.source).Open(*o.in.At(f))
	return o.next(f, s)
}

func (o *loop[S, In, Item, T, P]) next(f *frame.Frame, s *iteration[S, T]) frame.Verdict {
	body := f.Open(o.body)
	if P(&s.source).Next(s.carry, plan.InputOf[Item](body)) {
		return f.Call(body)
	}
	f.Close(body)
	return o.end(f, s)
}

func (o *loop[S, In, Item, T, P]) end(f *frame.Frame, s *iteration[S, T]) frame.Verdict {
	*o.out.At(f) = s.carry
	if !o.closes { // otherwise the source still has to be closed
		s.Clear()
	}
	return frame.Done
}

func (o *loop[S, In, Item, T, P]) Resume(f *frame.Frame) frame.Verdict {
	s, g := o.state.At(f), f.Landed()
	if g == nil {
		body := f.Ended()
		s.carry = *plan.OutputOf[T](body)
		if P(&s.source).Next(s.carry, plan.InputOf[Item](body.Activation())) {
			return f.Repeat()
		}
		return o.end(f, s)
	}
	if g.Given {
		s.carry, _ = g.Value.(T) // a nil Value becomes the zero T
	}
	if g.Again {
		return o.next(f, s)
	}
	return o.end(f, s)
}

func (o *loop[S, In, Item, T, P]) Loops(g *frame.Jump) bool {
	return !o.inner && g.Means(o.label)
}

func (o *loop[S, In, Item, T, P]) call(label *frame.Label) { o.label = label }

// Loop runs body for each iteration that source produces.
func Loop[S, In, Item, T any, P Source[S, In, Item, T]](kind string, body *plan.Stage[Item, T], source S) *plan.Stage[In, T] {
	n := plan.NewNode[In, T](kind, func(e *plan.Emitter, n *plan.Node) {
		o := &loop[S, In, Item, T, P]{source: source}
		_, o.closes = any(P(nil)).(closer)
		_, o.inner = any(P(nil)).(inner)
		plan.Level[Item](e, body.Node(), func(e *plan.Emitter, level plan.Emitted) {
			o.body = level.Level
			o.state = plan.State[iteration[S, T]](e)
			o.in = plan.Input[In](e)
			o.out = plan.Output[T](e)
			e.Op(n, o, plan.Held{Role: plan.Body, Node: body.Node(), Steps: level.Steps})
		})
	}, body.Node())
	n.Loop = true
	return plan.NewStage[In, T](n)
}

// Labelled gives a loop its label.
func Labelled[In, T any](label *frame.Label, s *plan.Stage[In, T]) *plan.Stage[In, T] {
	n := plan.NewNode[In, T](s.Node().Kind, func(e *plan.Emitter, _ *plan.Node) {
		e.Inline(s.Node(), func(e *plan.Emitter, s plan.Step) {
			// The plan may be one that can't be run, and is emitted only to be described: then s might not be a loop.
			if l, ok := s.Op.(interface{ call(label *frame.Label) }); ok {
				l.call(label)
			}
			e.Add(s)
		})
	}, s.Node())
	n.Loop = true
	switch {
	case label == nil:
		n.Reject("Labelled: the zero Label names no loop")
	case !s.Node().Loop:
		n.Reject("Labelled: the stage is not a loop")
	}
	return plan.NewStage[In, T](n)
}

// Label names a loop.
type Label = frame.Label
