package op

import (
	"sync"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// shielded is the state of a step that waits for its sub-steps when it is left (K1). It has a fork only while such sub-steps
// run, so a saga that undoes nothing has none.
type shielded struct {
	fork *frame.Fork // nil before begin, and after join or Clear
}

type only struct {
	frame.Fork
	branch [1]frame.Branch
}

// forks is a pool of forks, each with room for one branch.
var forks = sync.Pool{New: func() any {
	k := new(only)
	k.Branches = k.branch[:]
	return &k.Fork
}}

// Clear drops the fork if the step was left without a call of join.
func (s *shielded) Clear() { s.fork = nil }

// begin starts the steps of in, which are part n of the current step of f. If hears is true
// their context ends when that step is to be left.
func (s *shielded) begin(f *frame.Frame, n int, in *frame.Activation, hears bool) frame.Verdict {
	if s.fork == nil {
		s.fork = forks.Get().(*frame.Fork)
	}
	k := s.fork
	k.Shield = frame.Shield{Shields: true, Hears: hears}
	k.Branches[0].Call(in)
	verdict := f.Fork(k)
	k.Branches[0].Index(n)
	return verdict
}

// join gives back the memory that the steps of s used. The steps must have ended.
func (s *shielded) join(f *frame.Frame) {
	k := s.fork
	s.fork = nil
	f.Join(k)
	forks.Put(k)
}

// resultOf returns the result of the steps of s, a T, and gives back their memory.
func resultOf[T any](f *frame.Frame, s *shielded) T {
	v := ResultOf[T](Results{s.fork}, 0)
	s.join(f)
	return v
}

// open takes an activation of level, with the input v, for sub-steps of f's current step.
func open[T any](f *frame.Frame, level *frame.Level, v T) *frame.Activation {
	in := f.Open(level)
	plan.Give(in, v)
	return in
}

// shield is a step whose sub-steps end by themselves, unless the grace passes first (K1, K4).
type shield[In, Out any] struct {
	frame.Leaf
	body  *frame.Level
	in    plan.Cell[In]
	out   plan.Cell[Out]
	state plan.Cell[shielded]
}

func (o *shield[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	return o.state.At(f).begin(f, 0, open(f, o.body, *o.in.At(f)), false)
}

func (o *shield[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = resultOf[Out](f, o.state.At(f))
	return frame.Done
}

// Shield runs s to its end: an error, a limit, a cancel or a jump from outside waits until s has ended, or until the
// grace is over.
func Shield[In, Out any](s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("shield", func(e *plan.Emitter, n *plan.Node) {
		plan.Level[In](e, s.Node(), func(e *plan.Emitter, level plan.Emitted) {
			in := plan.Input[In](e)
			o := &shield[In, Out]{body: level.Level, in: in, state: plan.State[shielded](e), out: plan.Output[Out](e)}
			e.Op(n, o, plan.Held{Role: plan.Phase, Node: s.Node(), Steps: level.Steps})
		})
	}, s.Node())
	return plan.NewStage[In, Out](n)
}

// level emits s as a level of its own, and stores the level in *to and its steps in held.
func level[In, Out any](e *plan.Emitter, s *plan.Stage[In, Out], to **frame.Level, held *plan.Held) {
	plan.Level[In](e, s.Node(), func(_ *plan.Emitter, level plan.Emitted) { *to, held.Steps = level.Level, level.Steps })
}
