package op

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// retry is a step that enters its body again if the body fails. The body is a level with one
// step, an attempt. The error handler belongs to the attempt, because a handler answers only once
// for each execution of its step.
type retry[In, Out any] struct {
	frame.Leaf
	how   *Tries
	body  *frame.Level
	mine  plan.Cell[*tries] // a cell of body, for the address of state
	in    plan.Cell[In]
	out   plan.Cell[Out]
	state plan.Cell[tries]
}

func (o *retry[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	s.Clear()
	s.n = 0
	if o.how.Timed {
		s.began = f.Run().Host().Now()
	}
	if o.how.Budget != nil {
		o.how.Budget.Enter()
		s.entered = true
		f.Hold()
	}
	return o.next(f, s)
}

func (o *retry[In, Out]) next(f *frame.Frame, s *tries) frame.Verdict {
	s.n++
	s.again = false
	body := f.Open(o.body)
	*o.mine.At(body.Frame()) = s
	plan.Give(body, *o.in.At(f))
	return f.Call(body)
}

// Resume goes on after an attempt, or after a pause.
func (o *retry[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	switch {
	case s.pauses():
		s.setback.loop = nil
		_ = s.setback.slot.Close(f) // endPause completes without an error
		if f.Unwanted() {
			return f.Fail(s.setback.last())
		}
		return o.next(f, s)
	case !s.again:
		_ = plan.Result(f, o.out.At(f))
		f.Unhold()
		o.Release(f)
		return frame.Done
	case f.Unwanted():
		return f.Fail(s.setback.last())
	case s.setback.pause > 0:
		return s.setback.rest(f)
	default:
		return o.next(f, s)
	}
}

// Hear implements frame.Hearer: it ends a pause. Resume then begins no further attempt.
func (o *retry[In, Out]) Hear(f *frame.Frame) {
	if s := o.state.At(f); s.pauses() {
		s.setback.loop.Cancel(s.setback.timer)
		s.setback.endPause()
	}
}

// Release ends the pause, records that no further attempt follows, and returns to the budget what the retry has taken.
func (o *retry[In, Out]) Release(f *frame.Frame) {
	s := o.state.At(f)
	s.stop()
	s.first.End()
	s.first = nil
	o.how.give(s)
	if s.entered {
		s.entered = false
		o.how.Budget.Leave()
	}
}

type attempt[In, Out any] struct {
	group[In, Out]
	how  *Tries
	mine plan.Cell[*tries]
}

// Attempt implements frame.Attempts.
func (o *attempt[In, Out]) Attempt(f *frame.Frame) (n, most int) {
	return (*o.mine.At(f)).n, o.how.Most
}

// Retry implements frame.Attempts.
func (o *attempt[In, Out]) Retry(f *frame.Frame) **frame.Attempt { return &(*o.mine.At(f)).first }

// Handle lets the error pass if no other attempt follows. Otherwise it recovers, so that the
// retry can go on.
func (o *attempt[In, Out]) Handle(f *frame.Frame, err error) frame.Verdict {
	return o.how.failed(f, *o.mine.At(f), err)
}

// Retry runs s, and runs it again after failures, by the policy how. A non-empty bad is the reason why the policy is
// invalid; the stage then can't be run.
func Retry[In, Out any](how *Tries, bad string, s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("retry", func(e *plan.Emitter, n *plan.Node) {
		o := &retry[In, Out]{how: how, state: plan.State[tries](e)}
		attempts := plan.NewNode[In, Out]("attempt", func(e *plan.Emitter, attempts *plan.Node) {
			o.mine = plan.NewCell[*tries](e)
			holding(e, s.Node(), func(e *plan.Emitter, g group[In, Out], body plan.Held) {
				e.Op(attempts, &attempt[In, Out]{g, how, o.mine}, body)
			})
		}, s.Node())
		attempts.Made = n.Made
		plan.Level[In](e, attempts, func(e *plan.Emitter, level plan.Emitted) {
			level.Attempts = true
			o.body = level.Level
			o.in = plan.Input[In](e)
			o.out = plan.Output[Out](e)
			e.Op(n, o, plan.Held{Role: plan.Body, Node: attempts, Steps: level.Steps})
		})
	}, s.Node())
	if bad != "" {
		n.Reject(bad)
	}
	return plan.NewStage[In, Out](n)
}

// Attempt is frame.Attempt, for packages that don't import the machine.
type Attempt = frame.Attempt

// AttemptOf returns the attempt that ctx belongs to; nil if it belongs to none.
func AttemptOf(ctx context.Context) *Attempt { return frame.AttemptOf(ctx) }
