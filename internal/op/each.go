package op

import (
	"math"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// each is a step that runs a stage for every element of a slice, on a bounded number of lanes. A lane is a branch that
// takes one element after the other. Before its first element a lane begins the next lane, if more elements are left and
// the bound allows it. If elements don't wait, the first lanes take all of them, and no other lane begins.
type each[A, B any] struct {
	frame.Leaf
	stage *plan.Stage[A, B]
	bound int
	in    plan.Cell[[]A]
	out   plan.Cell[[]B]
	state plan.Cell[elements[A, B]]
	lane  *frame.Level
}

type elements[A, B any] struct {
	branches
	in    []A
	out   []B
	next  int // index of the element that the next free lane takes
	lanes int // lanes that have begun
}

func (s *elements[A, B]) Clear() {
	s.in, s.out = nil, nil
	s.branches.Clear()
}

func (o *each[A, B]) Exec(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	s.in = *o.in.At(f)
	s.out = make([]B, len(s.in))
	s.next, s.lanes = 0, 1
	s.Grow(min(len(s.in), 1))
	for i := range s.Branches {
		s.Branches[i].Call(f.Open(o.lane))
	}
	return f.Fork(&s.Fork)
}

func (o *each[A, B]) Resume(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	*o.out.At(f) = s.out
	f.Join(&s.Fork)
	return frame.Done
}

// lane is the only op in the outermost level of a branch of each.
type lane[A, B any] struct {
	frame.Leaf
	all     *each[A, B]
	element plan.Cell[int]
}

func (l *lane[A, B]) Exec(f *frame.Frame) frame.Verdict {
	o := f.Forker()
	if s := l.all.state.At(o); s.next < len(s.in)-1 && s.lanes < l.all.bound {
		s.lanes++
		i := s.Add()
		s.Branch(i).Call(o.Open(l.all.lane))
		o.AgainNext(i)
	}
	return l.take(f)
}

// take runs the stage for the next element, or ends the lane.
func (l *lane[A, B]) take(f *frame.Frame) frame.Verdict {
	s := l.all.state.At(f.Forker())
	if s.next == len(s.in) {
		return frame.Done
	}
	element := s.next
	s.next++
	*l.element.At(f) = element
	f.Fiber().Index(element)
	sub, err := l.all.stage.Prepare(f, s.in[element])
	if err != nil {
		return f.Fail(err)
	}
	return f.Take(sub)
}

func (l *lane[A, B]) Resume(f *frame.Frame) frame.Verdict {
	s := l.all.state.At(f.Forker())
	s.out[*l.element.At(f)] = *plan.OutputOf[B](f.Ended())
	return l.take(f)
}

// unbounded returns bound or, if bound is below zero, one that is never reached. If bound is zero it rejects n. name is the
// name of the constructor, for the message.
func unbounded(n *plan.Node, name string, bound int) int {
	switch {
	case bound == 0:
		n.Reject(name + ": the bound is 0, so nothing could run; below zero there is no bound")
	case bound < 0:
		return math.MaxInt
	}
	return bound
}

// Each runs s for every element of its input, and returns the results in the order of the elements. It runs
// up to bound elements at a time, or all of them if bound is below zero.
func Each[A, B any](bound int, s *plan.Stage[A, B]) *plan.Stage[[]A, []B] {
	n := plan.NewNode[[]A, []B]("each", func(e *plan.Emitter, n *plan.Node) {
		o := &each[A, B]{stage: s, bound: bound, in: plan.Input[[]A](e), state: plan.State[elements[A, B]](e)}
		o.out = plan.Output[[]B](e)
		lanes := plan.NewNode[int, int]("lane", func(e *plan.Emitter, lanes *plan.Node) { e.Op(lanes, &lane[A, B]{all: o, element: plan.Input[int](e)}) })
		plan.Level[int](e, lanes, func(e *plan.Emitter, level plan.Emitted) {
			level.Hide, level.Lane = true, true
			o.lane = level.Level
			e.Apart(s.Node(), plan.Element, func(e *plan.Emitter, element plan.Held) { e.Op(n, o, element) })
		})
	}, s.Node())
	given := bound
	n.Tell(func() []plan.Parameter { return []plan.Parameter{plan.AtMost("bound", given)} })
	bound = unbounded(n, "ParEach", bound)
	return plan.NewStage[[]A, []B](n)
}
