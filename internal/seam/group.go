package seam

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// group is a step that holds a level of sub-steps: what comes in is their input,
// their result is its own.
type group[In, Out any] struct {
	frame.Leaf
	body *frame.Level
	in   Cell[In]
	out  Cell[Out]
}

// enter starts the sub-steps.
func (o *group[In, Out]) enter(f *frame.Frame) frame.Verdict {
	sub := f.Open(o.body)
	give(sub, *o.in.At(f))
	return f.Call(sub)
}

func (o *group[In, Out]) Exec(f *frame.Frame) frame.Verdict { return o.enter(f) }

func (o *group[In, Out]) Resume(f *frame.Frame) frame.Verdict { return Result(f, o.out.At(f)) }

// holding emits n as the level of a group, at this point of the flow.
func holding[In, Out any](e *Emitter, n *Node, then func(*Emitter, group[In, Out], Held)) {
	Level[In](e, n, func(e *Emitter, level Emitted) {
		in := Input[In](e)
		then(e, group[In, Out]{body: level.Level, in: in, out: Output[Out](e)}, Held{Body, n, level.Steps})
	})
}

// single gives then the step that stands for n: its step if it is one, otherwise
// a step of the node around that holds the steps of n.
func single[In, Out any](e *Emitter, around, n *Node, is bool, then func(*Emitter, Step)) {
	if is {
		e.Inline(n, then)
		return
	}
	holding(e, n, func(e *Emitter, g group[In, Out], body Held) {
		then(e, e.step(around, &g, body))
	})
}

// Named gives the stage a name: to its step if it is a single one, otherwise to
// a step that holds its steps.
func Named[In, Out any](name string, s *Stage[In, Out]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("group", func(e *Emitter) {
		single[In, Out](e, n, s.node, s.node.steps == one, func(e *Emitter, s Step) {
			info := *s.Info
			info.Name = name
			s.Info = &info
			e.add(s)
		})
	}, s.node)
	n.Name = name
	n.handled = s.node.handled
	return NewStage[In, Out](n)
}

// timed is a step with a time limit on its sub-steps (C3).
type timed[In, Out any] struct {
	group[In, Out]
	limit time.Duration
}

func (o *timed[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	f.SetTimeout(o.limit)
	return o.enter(f)
}

// Timeout gives s at most limit. The steps of s are always sub-steps: a limit
// that they set themselves doesn't replace this one.
func Timeout[In, Out any](limit time.Duration, s *Stage[In, Out]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("timeout", func(e *Emitter) {
		holding(e, s.node, func(e *Emitter, g group[In, Out], body Held) { e.Op(n, &timed[In, Out]{g, limit}, body) })
	}, s.node)
	if limit <= 0 {
		n.Reject("Timeout: the limit must be positive, got " + limit.String())
	}
	return NewStage[In, Out](n)
}
