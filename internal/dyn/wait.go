package dyn

import "github.com/futoin-go/asyncsteps/internal/frame"

// Done completes one wait of one step, on any goroutine. The zero Done
// completes nothing.
type Done struct {
	step *Step
	gen  uint64
}

// open makes it possible to complete the step from outside, from now on: that
// may happen before its code has returned.
func (s *Step) open() {
	if s.waits {
		return
	}
	s.waits = true
	s.gen = s.slot.Open(s.frame)
}

// Done gives what completes the wait of the step; the zero Done if it has none.
func (s *Step) Done() Done {
	if !s.waits {
		return Done{}
	}
	return Done{s, s.gen}
}

// Valid says whether the wait can still be completed.
func (d Done) Valid() bool { return d.step != nil && d.step.slot.Valid(d.gen) }

// Success ends the wait with values, which it takes. It reports false, and
// leaves them, if the wait is over.
func (d Done) Success(a *Args) bool {
	if d.step == nil || !d.step.slot.Claim(d.gen) {
		return false
	}
	d.step.late = a.Take()
	d.step.slot.Complete(nil)
	return true
}

// Fail ends the wait with an error; false if the wait is over.
func (d Done) Fail(err error) bool {
	if d.step == nil || !d.step.slot.Claim(d.gen) {
		return false
	}
	d.step.slot.Complete(err)
	return true
}

// shut ends the possibility to complete from outside, and gives how that was
// used. Values that came are the step's if it was waiting for them.
func (s *Step) shut(f *frame.Frame) error {
	if !s.waits {
		return nil
	}
	s.waits = false
	err := s.slot.Close(f)
	if s.said == nothing && s.sub == nil {
		s.out = s.late.Take()
	}
	return err
}
