package op

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// Tries is the policy of a retry. The runs of a plan share it.
type Tries struct {
	Most  int  // attempts; 0: any number
	Timed bool // whether Failure.Since is needed
	// Again is called after a failed attempt that another one may follow. It returns whether to try again, and after
	// which pause.
	Again func(Failure) (pause time.Duration, again bool)
	// Decided, if not nil, is called when another attempt is to follow f, before the pause.
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

// Failure describes an attempt that has failed. If the attempt isn't one of a Retry, only Attempt and Err are set.
type Failure struct {
	Attempt int // from 1
	Err     error
	Since   time.Duration // time since the beginning of the first attempt; 0 unless Tries.Timed
	Host    *tool.Host

	frame *frame.Frame // the frame of the attempt; nil outside of a Retry
}

// Rand returns a random number of the loop, or of package rand outside of a Retry.
func (f Failure) Rand() uint64 {
	if f.Host == nil {
		return rand.Uint64()
	}
	return f.Host.Rand()
}

// Left returns the time until the nearest limit or deadline around the attempt passes. ok is false if there is none.
func (f Failure) Left() (left time.Duration, ok bool) {
	if f.frame == nil {
		return 0, false
	}
	until, ok := f.frame.Outer().Deadline()
	return until.Sub(f.Host.Time(f.Host.Now())), ok
}

// Also keeps why as a secondary error of the retry's error, if no other attempt follows.
func (f Failure) Also(why error) {
	if f.frame != nil {
		f.frame.Also(why)
	}
}

type tries struct {
	n       int            // number of the attempt
	began   time.Duration  // when the first attempt began, by the loop's clock
	setback *setback       // nil until an attempt has failed and another one follows; kept for the next retry
	first   *frame.Attempt // identifies the retry; nil until the context of an attempt is asked for

	again bool // the attempt has failed, and another one follows
	// entered: Leave of the budget is still to be called. taken: Give is still to be called.
	entered, taken bool
}

// setback is the memory of a retry for its failures and pauses. It is allocated separately, because many retries may be
// under way at the same time, most of them without a failure.
type setback struct {
	failed []error       // errors of attempts after which another one was to follow
	pause  time.Duration // pause before the next attempt

	// These fields are used during a pause.
	slot  frame.Wait
	gen   uint64
	loop  tool.Tool // nil unless the retry pauses
	timer tool.Handle
	fire  func() // the method endPause, bound once
}

// Clear drops the errors. It keeps their memory unless that is unusually large.
func (s *tries) Clear() {
	b := s.setback
	if b == nil {
		return
	}
	b.loop = nil
	clear(b.failed)
	if b.failed = b.failed[:0]; cap(b.failed) > mostFailed {
		b.failed = nil
	}
}

// mostFailed bounds how many errors of one retry are kept: the first one and the latest ones.
const mostFailed = 32

func (s *tries) pauses() bool { return s.setback != nil && s.setback.loop != nil }

func (s *tries) stop() {
	if s.pauses() {
		s.setback.loop.Cancel(s.setback.timer)
		s.setback.loop = nil
	}
}

func (b *setback) rest(f *frame.Frame) frame.Verdict {
	if b.fire == nil {
		b.fire = b.endPause
	}
	loop := f.Run().Tool()
	timer, err := loop.Deferred(b.pause, b.fire)
	if err != nil {
		return f.Fail(err)
	}
	b.loop, b.timer = loop, timer
	f.Hold()
	b.gen = b.slot.Open(f)
	return frame.Waiting
}

func (b *setback) endPause() {
	if b.slot.Claim(b.gen) {
		b.slot.Complete(nil)
	}
}

// last returns the error of the latest attempt; the errors of earlier attempts are secondary to it.
func (b *setback) last() error {
	latest := errors.Unwrap(b.failed[len(b.failed)-1])
	if len(b.failed) == 1 {
		return latest
	}
	e := fault.Wrap(fault.CodeOf(latest), fault.InfoOf(latest), latest)
	e.Secondary = slices.Clone(b.failed[:len(b.failed)-1])
	return e
}

func (t *Tries) give(s *tries) {
	if s.taken {
		s.taken = false
		t.Budget.Give()
	}
}

func (t *Tries) failed(f *frame.Frame, s *tries, err error) frame.Verdict {
	t.give(s)
	if s.setback != nil {
		f.Also(s.setback.failed...) // before Again, which may panic
	}
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
		t.Decided(failure, pause) // first, because the retry ends if Decided panics
	}
	if s.setback == nil {
		s.setback = new(setback)
	}
	s.setback.pause, s.again = pause, true
	s.setback.keep(&failed{s.n, err})
	return frame.Done
}

func (b *setback) keep(err *failed) {
	if len(b.failed) == mostFailed {
		b.failed = append(b.failed[:1], b.failed[2:]...)
	}
	b.failed = append(b.failed, err)
}

// failed is the error of an attempt after which another one was to follow.
type failed struct {
	attempt int
	err     error
}

// Error returns the text of the error, even if the Error method of e.err panics.
func (e *failed) Error() string {
	return "attempt " + strconv.Itoa(e.attempt) + ": " + fmt.Sprint(e.err)
}

// Unwrap returns the error of the attempt.
func (e *failed) Unwrap() error { return e.err }
