package dyn

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Code is what the step was added with.
func (s *Step) Code() Code { return s.code }

// Index is the number of the turn, for code that runs in a loop.
func (s *Step) Index() uint64 { return s.index }

// Peer is what SetPeer has set; nil after the step has ended.
func (s *Step) Peer() Peer { return s.peer }

// SetPeer says what the step is to the other language.
func (s *Step) SetPeer(p Peer) { s.peer = p }

// Run is the run that executes the step; nil before and after.
func (s *Step) Run() *frame.Run {
	if s.frame == nil {
		return nil
	}
	return s.frame.Run()
}

// Owner is what the step's root was executed for; nil before that, and for steps inside
// of a typed plan.
func (s *Step) Owner() Owner {
	if s.home.root == nil {
		return nil
	}
	return s.home.root.owner
}

// Success completes the step with values, which it takes (§2.2.2).
func (s *Step) Success(a *Args) {
	if !s.may("completed") {
		s.home.drop(a)
		return
	}
	s.said = succeeded
	s.out = a.Take()
}

// Fail completes the step with an error. An error of the same code once more,
// before the code has returned, changes nothing (B11).
func (s *Step) Fail(err error) {
	if s.said == failed && s.phase != going && fault.CodeOf(s.err) == fault.CodeOf(err) {
		return
	}
	if s.may("failed") {
		s.said = failed
		s.err = err
	}
}

// Break fails the step for breaking a rule (E7).
func (s *Step) Break(rule string) { s.break_(rule) }

func (s *Step) break_(rule string) frame.Verdict {
	switch {
	case s.frame == nil: // adding
		if s.rule == "" {
			s.rule = rule
		}
	case s.phase == going: // of a hook: its error is a secondary one
		s.frame.Ref().Break(rule)
	case s.said != violated:
		s.said = violated
		s.home.drop(&s.out)
		s.frame.Ref().Break(rule)
	}
	return frame.Silent
}

// Leave ends turns of the nearest loop, or of the nearest one with the label,
// which may be "": with again it goes on with its next turn (§2.2.4). The same
// once more, before the code has returned, changes nothing. The code of a turn
// may call it after Success: then the loop ends with the values of that, if it
// is the loop that is left (B11).
func (s *Step) Leave(label string, again bool) {
	g := &frame.Signal{Again: again}
	if label != "" {
		g.Label = &frame.Label{Name: label}
	}
	switch {
	case s.phase == going:
	case s.said == left && s.signal.String() == g.String():
		return
	case s.said == succeeded && s.turns:
		s.said = nothing
	}
	if s.may("left a loop") {
		s.said = left
		s.signal = g
	}
}

// may says whether the code may complete the step now, in the way given.
func (s *Step) may(how string) bool {
	switch {
	case s.said == violated:
		return false
	case s.phase == adding || s.phase == going:
		s.Break(how + " while none of its code runs")
	case s.said != nothing:
		s.Break(how + " after its completion")
	case s.sub != nil:
		s.Break(how + " although it has sub-steps")
	default:
		return true
	}
	return false
}

// runs says whether the code runs that may install things.
func (s *Step) runs(what string) bool {
	if s.phase == executing || s.phase == catching {
		return true
	}
	s.Break("had its " + what + " set while none of its code runs")
	return false
}

// SetTimeout limits the step and its sub-steps, and means to wait if the code
// says nothing more (§1.6). An invalid limit fails the step (C4).
func (s *Step) SetTimeout(d time.Duration) {
	if s.runs("timeout") && s.frame.SetTimeout(d) {
		s.open()
	}
}

// SetCancel installs a hook and means to wait, as SetTimeout.
func (s *Step) SetCancel(hook func()) {
	if s.runs("cancel hook") && s.frame.SetCancel(hook) {
		s.open()
	}
}

// Wait means to wait (§2.2.2 waitExternal).
func (s *Step) Wait() {
	if s.runs("wait") {
		s.open()
	}
}

// Defer adds a cleanup for the end of the step; they run newest first (S3).
func (s *Step) Defer(cleanup func()) {
	if s.runs("cleanup") {
		s.frame.Defer(cleanup)
	}
}
