package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// shielded is the state of a step that holds steps which end by themselves (K1).
type shielded struct{ frame.Fork }

// Clear drops errors of the steps.
func (s *shielded) Clear() { s.Fork.Clear() }

// begin starts the steps of in, which are part n of the current step of f. hears
// says that their context ends when that step is to be left.
func (s *shielded) begin(f *frame.Frame, n int, in *frame.Activation, hears bool) frame.Verdict {
	s.Shield = frame.Shield{Shields: true, Hears: hears}
	s.Grow(1)
	s.Branches[0].Call(in)
	verdict := f.Fork(&s.Fork)
	s.Branches[0].Index(n)
	return verdict
}

// resultOf takes the result of the steps of s, a T.
func resultOf[T any](f *frame.Frame, s *shielded) T {
	v := ResultOf[T](Results{&s.Fork}, 0)
	f.Join(&s.Fork)
	return v
}

// open takes an activation of level for sub-steps of f's current step on v.
func open[T any](f *frame.Frame, level *frame.Level, v T) *frame.Activation {
	in := f.Open(level)
	give(in, v)
	return in
}

// shield is a step whose sub-steps end by themselves (K1).
type shield[In, Out any] struct {
	frame.Leaf
	body  *frame.Level
	in    Cell[In]
	out   Cell[Out]
	state Cell[shielded]
}

func (o *shield[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	return o.state.At(f).begin(f, 0, open(f, o.body, *o.in.At(f)), false)
}

func (o *shield[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = resultOf[Out](f, o.state.At(f))
	return frame.Done
}

// Shield runs s, which nothing leaves before it has ended by itself.
func Shield[In, Out any](s *Stage[In, Out]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("shield", func(e *Emitter) {
		Level[In](e, s.node, func(e *Emitter, level Emitted) {
			in := Input[In](e)
			o := &shield[In, Out]{body: level.Level, in: in, state: State[shielded](e), out: Output[Out](e)}
			e.Op(n, o, Held{Phase, s.node, level.Steps})
		})
	}, s.node)
	return NewStage[In, Out](n)
}

// Leaving is [frame.Leaving].
type Leaving = frame.Leaving

// bracket is a step that acquires something, uses it, and releases it.
type bracket[In, R, Out, E any] struct {
	frame.Leaf
	acquire, use, release *frame.Level
	ended                 func(R, Out, Leaving) E
	in                    Cell[In]
	out                   Cell[Out]
	state                 Cell[bracketed[R, Out]]
}

// bracketed is the state of a bracket.
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

// Clear drops what the state refers to.
func (s *bracketed[R, Out]) Clear() {
	s.shielded.Clear()
	s.phase = acquiring
	var resource R
	var value Out
	s.resource, s.value = resource, value
}

// The parts of a bracket, as its paths number them.
const (
	partAcquire = 0
	partRelease = 2
)

func (o *bracket[In, R, Out, E]) Exec(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	s.Clear() // of another bracket of this level
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
		_ = Result(f, &s.value)
		return o.end(f, s, Leaving{})
	default:
		*o.out.At(f) = s.value
		f.Join(&s.Fork)
		f.Unfinally()
		s.Clear()
		return frame.Done
	}
}

// end begins the release.
func (o *bracket[In, R, Out, E]) end(f *frame.Frame, s *bracketed[R, Out], how Leaving) frame.Verdict {
	s.phase = releasing
	return s.begin(f, partRelease, open(f, o.release, o.ended(s.resource, s.value, how)), false)
}

// Finalize releases what was acquired, unless that has been done.
func (o *bracket[In, R, Out, E]) Finalize(f *frame.Frame, how Leaving) bool {
	switch s := o.state.At(f); {
	case s.phase == releasing || s.phase == acquiring && !s.Succeeded():
		f.Join(&s.Fork)
		return false
	default:
		if s.phase == acquiring {
			s.resource = resultOf[R](f, &s.shielded)
		}
		_ = o.end(f, s, how) // it is waited for
		return true
	}
}

// Bracket runs acquire, use on what that gives, and release on what ended makes of
// both, whichever way use ends.
func Bracket[In, R, Out, E, Z any](
	acquire *Stage[In, R], use *Stage[R, Out], release *Stage[E, Z], ended func(R, Out, Leaving) E,
) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("bracket", func(e *Emitter) {
		o := &bracket[In, R, Out, E]{ended: ended}
		holds := []Held{{Role: Phase, Node: acquire.node}, {Role: Body, Node: use.node}, {Role: Phase, Node: release.node}}
		e.Then(func(e *Emitter) {
			o.in, o.state = Input[In](e), State[bracketed[R, Out]](e)
			o.out = Output[Out](e)
			e.Op(n, o, holds...)
		})
		level(e, acquire, &o.acquire, &holds[0])
		level(e, use, &o.use, &holds[1])
		level(e, release, &o.release, &holds[2])
	}, acquire.node, use.node, release.node)
	return NewStage[In, Out](n)
}

// level emits s as a level of its own.
func level[In, Out any](e *Emitter, s *Stage[In, Out], to **frame.Level, held *Held) {
	Level[In](e, s.node, func(_ *Emitter, level Emitted) { *to, held.Steps = level.Level, level.Steps })
}
