package seam

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// group is a step that holds a level of sub-steps. Their last cell is its own.
type group struct {
	frame.Leaf
	body frame.Frame
}

func (o *group) Exec(f *frame.Frame) frame.Verdict { return f.Enter(&o.body) }

// single gives the op that stands for a level: the op itself if there is just
// one, otherwise a group that holds them.
func single(e *Emitter, level *frame.Level) (frame.Op, *frame.Info) {
	if len(level.Ops) == 1 {
		return level.Ops[0], (*level.Infos)[0]
	}
	o := new(group)
	o.body.Init(e.inst, level)
	return o, nil
}

// Named gives the stage a name: to its step if it is a single one, otherwise to
// a step that holds its steps.
func Named[In, Out any](skip int, name string, s *Stage[In, Out]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("group", skip+1, func(e *Emitter) {
		e.Level(s.node, func(level *frame.Level) {
			op, info := single(e, level)
			if info == nil {
				info = &n.Info
			}
			named := *info
			named.Name = name
			e.Op(&named, op)
		})
	}, Kid{s.node, Body})
	n.Name = name
	return NewStage[In, Out](n)
}

// timed is a step with a time limit on its sub-steps (C3).
type timed struct {
	group
	limit time.Duration
}

func (o *timed) Exec(f *frame.Frame) frame.Verdict {
	f.SetTimeout(o.limit)
	return f.Enter(&o.body)
}

// Timeout gives s at most limit. The steps of s are always sub-steps: a limit
// that they set themselves doesn't replace this one.
func Timeout[In, Out any](skip int, limit time.Duration, s *Stage[In, Out]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("timeout", skip+1, func(e *Emitter) {
		e.Level(s.node, func(level *frame.Level) {
			o := &timed{limit: limit}
			o.body.Init(e.inst, level)
			e.Op(&n.Info, o)
		})
	}, Kid{s.node, Body})
	if limit <= 0 {
		n.Reject("Timeout: the limit must be positive, got " + limit.String())
	}
	return NewStage[In, Out](n)
}

// hooked is a step with a cancel hook over its sub-steps.
type hooked struct {
	group
	hook  frame.Op // runs in the frame of the step
	frame *frame.Frame
	bound func()
}

func (o *hooked) Exec(f *frame.Frame) frame.Verdict {
	o.frame = f
	f.SetCancel(o.bound)
	return f.Enter(&o.body)
}

// OnCancel runs hook, a single step, when s is left in any way but success.
func OnCancel[In, Out any](skip int, s *Stage[In, Out], hook *Stage[struct{}, struct{}]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("oncancel", skip+1, func(e *Emitter) {
		o := new(hooked)
		o.bound = func() { o.hook.Exec(o.frame) }
		in := e.Value()
		e.At(NewCell[struct{}](e))
		e.Level(hook.node, func(level *frame.Level) {
			o.hook = level.Ops[0]
			e.At(in)
			e.Level(s.node, func(level *frame.Level) {
				o.body.Init(e.inst, level)
				e.Op(&n.Info, o)
			})
		})
	}, Kid{s.node, Body}, Kid{hook.node, Hook})
	return NewStage[In, Out](n)
}
