package seam

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// Tries says how a retry goes on. All runs of a plan share it.
type Tries struct {
	Most  int  // attempts; 0: any number
	Timed bool // Failure.Since is wanted
	// Again is asked after a failed attempt that isn't the last one allowed: to
	// try again after the pause, or not to.
	Again func(Failure) (pause time.Duration, again bool)
	// Budget counts; nil if nobody does.
	Budget Budget
}

// Budget counts the calls that are under way, and attempts after the first one.
// What has begun ends once, on any way out.
type Budget interface {
	Enter()
	Leave()
	Take() error // why there must be no further attempt
	Give()
}

// Failure is an attempt that has failed.
type Failure struct {
	Attempt int // from 1
	Err     error
	Since   time.Duration // the beginning of the first attempt
	Host    *tool.Host
}

// retry is a step that enters its body again if that fails. The body is a level
// of one step, an attempt, which has the handler: a handler answers once for
// each time its step is executed.
type retry[In, Out any] struct {
	frame.Leaf
	how   *Tries
	body  *frame.Level
	mine  Cell[*tries] // in the body
	in    Cell[In]
	out   Cell[Out]
	state Cell[tries]
}

// tries is the state of a retry.
type tries struct {
	n      int           // the attempt
	again  bool          // it has failed, and another one follows
	pause  time.Duration // before that
	began  time.Duration // by the loop's clock
	failed []error       // what former attempts failed with

	entered, taken bool // of the budget

	// The pause, while it lasts.
	slot  frame.Wait
	gen   uint64
	loop  tool.Tool // nil if no timer is armed
	timer tool.Handle
	fire  func() // end, bound once
}

// Clear drops the errors, and keeps the memory for a usual number of them.
func (s *tries) Clear() {
	s.loop = nil
	clear(s.failed)
	if s.failed = s.failed[:0]; cap(s.failed) > mostFailed {
		s.failed = nil
	}
}

// mostFailed bounds the errors that are kept of one retry: the first and the last
// ones tell the story.
const mostFailed = 32

func (o *retry[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	s.Clear()
	s.n = 0
	if o.how.Timed {
		s.began = f.Run().Tool().Host().Now()
	}
	if o.how.Budget != nil {
		o.how.Budget.Enter()
		s.entered = true
		f.Hold()
	}
	return o.next(f, s)
}

// next begins an attempt.
func (o *retry[In, Out]) next(f *frame.Frame, s *tries) frame.Verdict {
	s.n++
	s.again = false
	body := f.Open(o.body)
	*o.mine.At(body.Frame()) = s
	give(body, *o.in.At(f))
	return f.Call(body)
}

// Resume goes on after an attempt, or after a pause.
func (o *retry[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	switch {
	case s.loop != nil:
		s.loop = nil
		_ = s.slot.Close(f) // end gives no error
		return o.next(f, s)
	case !s.again:
		_ = Result(f, o.out.At(f))
		f.Unhold()
		o.Release(f)
		return frame.Done
	case s.pause > 0:
		return s.rest(f)
	default:
		return o.next(f, s)
	}
}

// rest is the pause. No goroutine waits.
func (s *tries) rest(f *frame.Frame) frame.Verdict {
	if s.fire == nil {
		s.fire = s.end
	}
	loop := f.Run().Tool()
	timer, err := loop.Deferred(s.pause, s.fire)
	if err != nil {
		return f.Fail(err)
	}
	s.loop, s.timer = loop, timer
	f.Hold()
	s.gen = s.slot.Open(f)
	return frame.Waiting
}

func (s *tries) end() {
	if s.slot.Claim(s.gen) {
		s.slot.Complete(nil)
	}
}

// Release ends the pause, and what the budget counts.
func (o *retry[In, Out]) Release(f *frame.Frame) {
	s := o.state.At(f)
	if s.loop != nil {
		s.loop.Cancel(s.timer)
		s.loop = nil
	}
	o.how.give(s)
	if s.entered {
		s.entered = false
		o.how.Budget.Leave()
	}
}

// give gives back what an attempt after the first one has taken of the budget.
func (t *Tries) give(s *tries) {
	if s.taken {
		s.taken = false
		t.Budget.Give()
	}
}

// attempt is the step that a retry executes again and again.
type attempt[In, Out any] struct {
	group[In, Out]
	how  *Tries
	mine Cell[*tries]
}

// Attempt implements frame.Attempts.
func (o *attempt[In, Out]) Attempt(f *frame.Frame) (n, most int) {
	return (*o.mine.At(f)).n, o.how.Most
}

// Handle lets the error pass after the last attempt, and ends any other as if
// it had a value.
func (o *attempt[In, Out]) Handle(f *frame.Frame, err error) frame.Verdict {
	return o.how.failed(f, *o.mine.At(f), err)
}

func (t *Tries) failed(f *frame.Frame, s *tries, err error) frame.Verdict {
	t.give(s)
	f.Also(s.failed...) // first, in case that Again panics
	if s.n == t.Most {
		return frame.Unhandled
	}
	failure := Failure{Attempt: s.n, Err: err, Host: f.Run().Tool().Host()}
	if t.Timed {
		failure.Since = failure.Host.Now() - s.began
	}
	if s.pause, s.again = t.Again(failure); !s.again {
		return frame.Unhandled
	}
	if t.Budget != nil {
		if why := t.Budget.Take(); why != nil {
			f.Also(why)
			return frame.Unhandled
		}
		s.taken = true
	}
	s.keep(err)
	return frame.Done
}

// keep keeps the error of the current attempt for the error of the last one.
func (s *tries) keep(err error) {
	if len(s.failed) == mostFailed {
		s.failed = append(s.failed[:1], s.failed[2:]...)
	}
	s.failed = append(s.failed, &failed{s.n, err})
}

// failed is what an attempt has failed with, beside the error of a later one.
type failed struct {
	attempt int
	err     error
}

// Error survives a panic in the Error of somebody else.
func (e *failed) Error() string {
	return "attempt " + strconv.Itoa(e.attempt) + ": " + fmt.Sprint(e.err)
}

// Unwrap gives the error itself.
func (e *failed) Unwrap() error { return e.err }

// Retry runs s, and again if it fails, as how says; bad says what is wrong with
// that, if anything.
func Retry[In, Out any](how *Tries, bad string, s *Stage[In, Out]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("retry", func(e *Emitter) {
		o := &retry[In, Out]{how: how, state: State[tries](e)}
		attempts := NewNode[In, Out]("attempt", nil, s.node)
		attempts.Made = n.Made
		attempts.emit = func(e *Emitter) {
			o.mine = NewCell[*tries](e)
			holding(e, s.node, func(e *Emitter, g group[In, Out], body Held) {
				e.Op(attempts, &attempt[In, Out]{g, how, o.mine}, body)
			})
		}
		Level[In](e, attempts, func(e *Emitter, level Emitted) {
			level.Attempts = true
			o.body = level.Level
			o.in = Input[In](e)
			o.out = Output[Out](e)
			e.Op(n, o, Held{Body, attempts, level.Steps})
		})
	}, s.node)
	if bad != "" {
		n.Reject(bad)
	}
	return NewStage[In, Out](n)
}

// Attempt is the number of the attempt that ctx is of; 0 if it is of none.
func Attempt(ctx context.Context) int { return frame.AttemptOf(ctx) }
