package op

import (
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

// give gives back what an attempt after the first one has taken of the budget.
func (t *Tries) give(s *tries) {
	if s.taken {
		s.taken = false
		t.Budget.Give()
	}
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
