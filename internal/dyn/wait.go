package dyn

import "github.com/futoin-go/asyncsteps/internal/frame"

// Done completes one wait of one step, from any goroutine. The zero Done completes nothing.
type Done struct {
	step *Step
	gen  uint64
}

// open allows the step to be completed from outside from now on, even before its code has returned.
func (s *Step) open() {
	if s.waits {
		return
	}
	s.waits = true
	s.gen = s.slot.Open(s.frame)
}

// Done returns the handle that completes the wait of the step, or the zero Done if the step doesn't wait.
func (s *Step) Done() Done {
	if !s.waits {
		return Done{}
	}
	return Done{s, s.gen}
}

// Valid reports whether the wait can still be completed.
func (d Done) Valid() bool { return d.step != nil && d.step.slot.Valid(d.gen) }

// Success completes the wait with the values in a, and takes them. If the wait is over it reports false and leaves
// the values in a.
func (d Done) Success(a *Args) bool {
	switch s := d.step; {
	case s == nil:
		return false
	case s.slot.ClaimHere(d.gen):
		Move(&s.late, a)
		s.slot.CompleteHere()
		return true
	case s.slot.Claim(d.gen):
		Move(&s.late, a)
		s.slot.Complete(nil)
		return true
	default:
		return false
	}
}

// Fail completes the wait with an error. It reports false if the wait is over.
func (d Done) Fail(err error) bool {
	switch s := d.step; {
	case s == nil:
		return false
	case s.slot.ClaimHere(d.gen):
		s.slot.FailHere(err)
		return true
	case s.slot.Claim(d.gen):
		s.slot.Complete(err)
		return true
	default:
		return false
	}
}

// Leave completes the wait as [Step.Leave] does. It reports false if the wait is over.
func (d Done) Leave(label string, again bool) bool { return d.Fail(Leaving(label, again)) }

// Leaving returns an error with which [Done.Fail] does what [Done.Leave] does, for a caller that completes the wait later.
func Leaving(label string, again bool) error { return leaving{jumpOf(label, again)} }

type leaving struct{ jump *frame.Jump }

func (l leaving) Error() string { return l.jump.String() }

func unsuccessful(f *frame.Frame, err error) frame.Verdict {
	if l, ok := err.(leaving); ok { //nolint:errorlint // it is never wrapped
		return f.Jump(l.jump)
	}
	return f.Fail(err)
}

// shut closes the wait: from now on the step can't be completed from outside. An earlier completion is ignored, because the
// code has asked for something else than a wait, or is a handler, for which a wait is no answer.
func (s *Step) shut(f *frame.Frame) {
	if s.waits {
		s.waits = false
		_ = s.slot.Close(f)
	}
}
