package dyn

import "github.com/futoin-go/asyncsteps/internal/frame"

// ask begins a step whose code runs inside of a guard. The step's values go to
// the code, and the code's come back (G1).
func (s *Step) ask(f *frame.Frame) frame.Verdict {
	if s.leave == nil {
		s.leave = s.unlock
	}
	if s.claim == nil {
		s.claim = new(frame.Ticket)
	}
	c := s.claim
	c.Init(s.guard.Key)
	c.Ask(f)
	entered, err := s.enter(c)
	if err != nil {
		c.End()
		c.Forget()
		return f.Fail(err)
	}
	f.SetCancel(s.leave)
	switch {
	case entered:
		c.Enter()
		return s.section(f)
	case c.Await():
		return frame.Waiting
	default:
		return s.decided(f)
	}
}

// resumeGuarded goes on after the wait for the guard, or after the section.
func (s *Step) resumeGuarded(f *frame.Frame) frame.Verdict {
	if s.claim.Inside() {
		s.unlock()
		return s.result()
	}
	s.claim.Resume()
	return s.decided(f)
}

func (s *Step) decided(f *frame.Frame) frame.Verdict {
	if err := s.claim.Decided(); err != nil {
		return f.Fail(err)
	}
	return s.section(f)
}

// section runs the code as a sub-step: its handler is inside too.
func (s *Step) section(f *frame.Frame) frame.Verdict {
	s.sub = s.home.level(s.at.flow)
	s.sub.step(plain, s.body, s.code)
	s.sub.value = s.at.value.Take()
	return f.Enter(&s.sub.Frame)
}

func (s *Step) enter(c *frame.Ticket) (entered bool, err error) {
	returned := false
	defer func() { s.called(returned) }()
	entered, err = s.guard.Enter(c)
	returned = true
	return entered, err
}

// unlock tells the guard, once, that the step is neither inside nor waiting.
func (s *Step) unlock() {
	returned := false
	defer func() { s.called(returned) }()
	switch s.claim.End() {
	case frame.Leave:
		s.guard.Leave(s.claim)
	case frame.Withdraw:
		s.guard.Withdraw(s.claim)
	case frame.Nothing:
	}
	s.claim.Forget()
	returned = true
}

// called leaves the claim to a guard that has not returned from a call.
func (s *Step) called(returned bool) {
	if !returned {
		s.claim.Abandon()
		s.claim = nil
	}
}
