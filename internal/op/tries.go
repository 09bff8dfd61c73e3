package op

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// Tries is the policy of a retry. All runs of a plan share it.
type Tries struct {
	Most  int  // attempts; 0: any number
	Timed bool // whether Failure.Since is needed
	// Again is called after a failed attempt that isn't the last one allowed. It returns
	// whether to try again, and after which pause.
	Again func(Failure) (pause time.Duration, again bool)
	// Decided, if not nil, is told of each attempt that follows a failed one, before its pause.
	Decided func(f Failure, pause time.Duration)
	// Budget counts the calls and attempts; nil if there is no budget.
	Budget Budget
}

// Budget counts the calls that are under way, and the attempts after the first one. Enter is
// followed by one Leave, and a Take without an error by one Give, however the call ends.
type Budget interface {
	Enter()
	Leave()
	Take() error // returns an error if no further attempt is allowed
	Give()
}

// Failure is an attempt that has failed.
type Failure struct {
	Attempt int // from 1
	Err     error
	Since   time.Duration // time since the beginning of the first attempt
	Host    *tool.Host

	frame *frame.Frame // of the attempt
}

// Left returns the time until the nearest limit or deadline around the attempt passes. ok is false if there is none.
func (f Failure) Left() (left time.Duration, ok bool) {
	until, ok := f.frame.Outer().Deadline()
	return until.Sub(f.Host.Time(f.Host.Now())), ok
}

// tries is the state of a retry.
type tries struct {
	n      int            // number of the attempt
	again  bool           // it has failed, and another one follows
	pause  time.Duration  // pause before the next attempt
	began  time.Duration  // when the first attempt began, by the loop's clock
	failed []error        // errors of earlier attempts
	first  *frame.Attempt // what identifies the retry to those who have asked for the context of an attempt

	entered, taken bool // what the call holds of the budget: Leave, or Give, has to follow

	// These fields are used during a pause.
	slot  frame.Wait
	gen   uint64
	loop  tool.Tool // nil if no timer is armed
	timer tool.Handle
	fire  func() // the method end, bound once
}

// Clear drops the errors, and keeps the memory for a usual number of them.
func (s *tries) Clear() {
	s.loop = nil
	clear(s.failed)
	if s.failed = s.failed[:0]; cap(s.failed) > mostFailed {
		s.failed = nil
	}
}

// mostFailed bounds how many errors of one retry are kept: the first one and the latest ones.
const mostFailed = 32

// rest begins the pause. No goroutine waits.
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

// last is the error of the latest attempt, with those of the attempts before.
func (s *tries) last() error {
	latest := errors.Unwrap(s.failed[len(s.failed)-1])
	if len(s.failed) == 1 {
		return latest
	}
	e := fault.Wrap(fault.CodeOf(latest), fault.InfoOf(latest), latest)
	e.Secondary = slices.Clone(s.failed[:len(s.failed)-1])
	return e
}

// give gives an attempt after the first one back to the budget.
func (t *Tries) give(s *tries) {
	if s.taken {
		s.taken = false
		t.Budget.Give()
	}
}

func (t *Tries) failed(f *frame.Frame, s *tries, err error) frame.Verdict {
	t.give(s)
	f.Also(s.failed...) // before Again, which may panic
	if s.n == t.Most || f.Unwanted() {
		return frame.Unhandled
	}
	failure := Failure{Attempt: s.n, Err: err, Host: f.Run().Host(), frame: f}
	if t.Timed {
		failure.Since = failure.Host.Now() - s.began
	}
	pause, again := t.Again(failure)
	if !again {
		return frame.Unhandled
	}
	if t.Budget != nil {
		if why := t.Budget.Take(); why != nil {
			f.Also(why)
			return frame.Unhandled
		}
		s.taken = true
	}
	if t.Decided != nil {
		t.Decided(failure, pause) // first: if it panics the retry ends, and nothing is to be set
	}
	s.pause, s.again = pause, true
	s.keep(err)
	return frame.Done
}

// keep keeps the error of the current attempt, to be added to the error of the last one.
func (s *tries) keep(err error) {
	if len(s.failed) == mostFailed {
		s.failed = append(s.failed[:1], s.failed[2:]...)
	}
	s.failed = append(s.failed, &failed{s.n, err})
}

// failed is the error of an attempt that was followed by another one. It becomes a secondary error of the last
// attempt.
type failed struct {
	attempt int
	err     error
}

// Error returns the text of the error, even if the Error method of the error panics.
func (e *failed) Error() string {
	return "attempt " + strconv.Itoa(e.attempt) + ": " + fmt.Sprint(e.err)
}

// Unwrap returns the error of the attempt.
func (e *failed) Unwrap() error { return e.err }
