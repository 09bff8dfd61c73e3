package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Leaving is [frame.Leaving].
type Leaving = frame.Leaving

// bracket is a step that acquires something, uses it, and releases it.
type bracket[In, R, Out, E any] struct {
	frame.Leaf
	acquire, use, release *frame.Level
	ended                 func(R, Out, Leaving) E
	in                    plan.Cell[In]
	out                   plan.Cell[Out]
	state                 plan.Cell[bracketed[R, Out]]
}

type bracketed[R, Out any] struct {
	shielded
	phase    phase
	resource R
	value    Out
}

type phase uint8

const (
	acquiring phase = iota
	using
	releasing
)

func (s *bracketed[R, Out]) Clear() {
	s.shielded.Clear()
	s.phase = acquiring
	var resource R
	var value Out
	s.resource, s.value = resource, value
}

// The numbers of the parts of a bracket in paths.
const (
	partAcquire = 0
	partRelease = 2
)

func (o *bracket[In, R, Out, E]) Exec(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	s.Clear() // left over from another bracket of this level
	f.Finally()
	return s.begin(f, partAcquire, open(f, o.acquire, *o.in.At(f)), true)
}

func (o *bracket[In, R, Out, E]) Resume(f *frame.Frame) frame.Verdict {
	switch s := o.state.At(f); s.phase {
	case acquiring:
		s.resource = resultOf[R](f, &s.shielded)
		s.phase = using
		return f.Call(open(f, o.use, s.resource))
	case using:
		_ = plan.Result(f, &s.value)
		return o.end(f, s, Leaving{})
	default:
		*o.out.At(f) = s.value
		s.join(f)
		f.Unfinally()
		s.Clear()
		return frame.Done
	}
}

// end begins the release.
func (o *bracket[In, R, Out, E]) end(f *frame.Frame, s *bracketed[R, Out], how Leaving) frame.Verdict {
	s.phase = releasing
	verdict := s.begin(f, partRelease, open(f, o.release, o.ended(s.resource, s.value, how)), false)
	s.fork.Releases = true
	return verdict
}

// Finalize begins the release, unless nothing was acquired or the release has begun before.
func (o *bracket[In, R, Out, E]) Finalize(f *frame.Frame, how Leaving) bool {
	switch s := o.state.At(f); {
	case s.phase == releasing || s.phase == acquiring && !s.fork.Succeeded():
		s.join(f)
		return false
	default:
		if s.phase == acquiring {
			s.resource = resultOf[R](f, &s.shielded)
		}
		_ = o.end(f, s, how) // no verdict is needed: the unwinding waits for the release
		return true
	}
}

// Bracket runs acquire, then use with the result of acquire, and then release, however use ends. ended
// makes the input of release.
func Bracket[In, R, Out, E, Z any](
	acquire *plan.Stage[In, R], use *plan.Stage[R, Out], release *plan.Stage[E, Z], ended func(R, Out, Leaving) E,
) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("bracket", func(e *plan.Emitter, n *plan.Node) {
		o := &bracket[In, R, Out, E]{ended: ended}
		holds := []plan.Held{{Role: plan.Phase, Node: acquire.Node()}, {Role: plan.Body, Node: use.Node()}, {Role: plan.Phase, Node: release.Node()}}
		e.Then(func(e *plan.Emitter) {
			o.in, o.state = plan.Input[In](e), plan.State[bracketed[R, Out]](e)
			o.out = plan.Output[Out](e)
			e.Op(n, o, holds...)
		})
		level(e, acquire, &o.acquire, &holds[0])
		level(e, use, &o.use, &holds[1])
		level(e, release, &o.release, &holds[2])
	}, acquire.Node(), use.Node(), release.Node())
	return plan.NewStage[In, Out](n)
}
