package dyn

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Code returns the code that the step was added with.
func (s *Step) Code() Code { return s.code }

// Index returns the number of the iteration, for the body of a loop.
func (s *Step) Index() uint64 { return s.index }

// Peer returns what SetPeer has set, or nil after the step has ended.
func (s *Step) Peer() Peer { return s.peer }

// SetPeer sets the object of the other language that stands for the step.
func (s *Step) SetPeer(p Peer) { s.peer = p }

// Run returns the run that executes the step, or nil before and after its execution.
func (s *Step) Run() *frame.Run {
	if s.frame == nil {
		return nil
	}
	return s.frame.Run()
}

// Owner returns the Owner that the step's root was executed with last. It returns nil before the first execution, and for
// steps inside a typed plan.
func (s *Step) Owner() Owner {
	if s.home.root == nil {
		return nil
	}
	return s.home.root.owner
}

// Success completes the step with the values in a, and takes them (§2.2.2).
func (s *Step) Success(a *Args) {
	if !s.may("completed") {
		s.home.drop(a)
		return
	}
	s.said = succeeded
	Move(&s.out, a)
}

// Fail completes the step with an error. A second error with the same fault.Code changes nothing while the code of the step
// hasn't returned (B11).
func (s *Step) Fail(err error) {
	if s.said == failed && s.phase != going && fault.CodeOf(s.err) == fault.CodeOf(err) {
		return
	}
	if s.may("failed") {
		s.said = failed
		s.err = err
	}
}

// Abort fails the step with err, because its code has been cut off. What the code has asked for is dropped, but if it has
// broken a rule, the violation counts instead of err.
func (s *Step) Abort(err error) {
	if s.said == violated {
		return
	}
	s.home.drop(&s.out)
	s.said, s.err = failed, err
}

// Break fails the step because the code has broken the rule (E7). A step that hasn't begun fails when it begins. If none of
// the step's code runs, the step that the run is executing fails instead.
func (s *Step) Break(rule string) { s.break_(rule) }

func (s *Step) break_(rule string) frame.Verdict {
	switch {
	case s.frame == nil: // the step isn't being executed
		if s.rule == "" {
			s.rule = rule
		}
	case s.phase == going: // called by a hook, a cleanup or another step
		s.frame.Ref().Break(rule)
	case s.said != violated:
		s.said = violated
		s.home.drop(&s.out)
		s.frame.Ref().Break(rule)
	}
	return frame.Silent
}

// Leave ends the current iteration of the nearest loop, or of the nearest loop with the label if it isn't "", with everything
// inside of it. If again is set that loop goes on with its next iteration (§2.2.4), otherwise it ends. A second identical call changes
// nothing if the step's code hasn't returned yet. The body of a loop may call Leave after Success: if Leave ends its
// own loop, the loop ends with the values of that Success (B11).
func (s *Step) Leave(label string, again bool) {
	g := jumpOf(label, again)
	switch {
	case s.phase == going:
	case s.said == left && s.jump.String() == g.String():
		return
	case s.said == succeeded && s.turns:
		s.said = nothing
	}
	if s.may("left a loop") {
		s.said = left
		s.jump = g
	}
}

func jumpOf(label string, again bool) *frame.Jump {
	g := &frame.Jump{Again: again}
	if label != "" {
		g.Label, g.Named = &frame.Label{Name: label}, true
	}
	return g
}

// may reports whether the code may complete the step now. Otherwise the step fails with a violation, which deed describes.
func (s *Step) may(deed string) bool {
	switch {
	case s.said == violated:
		return false
	case s.phase == adding || s.phase == going:
		s.Break(deed + " while none of its code runs")
	case s.said != nothing:
		s.Break(deed + " after its completion")
	case s.sub != nil:
		s.Break(deed + " although it has sub-steps")
	default:
		return true
	}
	return false
}

// runs reports whether the step's body or handler is running: only these may install timers, hooks and cleanups, or
// wait. Otherwise the call is a violation.
func (s *Step) runs(what string) bool {
	if s.phase == executing || s.phase == catching {
		return true
	}
	s.Break("had its " + what + " set while none of its code runs")
	return false
}

// SetTimeout limits the step with its sub-steps. If the body does nothing else, the step waits (§1.6). An invalid
// limit fails the step (C4).
func (s *Step) SetTimeout(d time.Duration) {
	if s.runs("timeout") && s.frame.SetTimeout(d) {
		s.open()
	}
}

// SetCancel installs a cancel hook. If the body does nothing else, the step waits.
func (s *Step) SetCancel(hook func()) {
	if s.runs("cancel hook") && s.frame.SetCancel(hook) {
		s.open()
	}
}

// Wait makes the step wait, if the body does nothing else (§2.2.2 waitExternal). In a handler it has no effect (E2).
func (s *Step) Wait() {
	if s.runs("wait") {
		s.open()
	}
}

// Defer adds a cleanup for the end of the step. Cleanups run newest first (S3).
func (s *Step) Defer(cleanup func()) {
	if s.runs("cleanup") {
		s.frame.Defer(cleanup)
	}
}
