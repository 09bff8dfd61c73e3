package dyn

import "github.com/futoin-go/asyncsteps/internal/frame"

// ask begins a step whose code runs inside of a guard. The step's values go to
// the code, and the code's come back (G1).
func (s *Step) ask(f *frame.Frame) frame.Verdict {
	return s.inside(f, s.section.Enter(f, &s.guard))
}

// resumeGuarded goes on after the wait for the guard, or after the section.
func (s *Step) resumeGuarded(f *frame.Frame) frame.Verdict {
	if !s.section.Inside() {
		return s.inside(f, s.section.Resume(f))
	}
	s.section.Leave(f)
	return s.result()
}

// inside runs the code as a sub-step, if the guard has let the step in: its handler is
// inside too.
func (s *Step) inside(f *frame.Frame, v frame.Verdict) frame.Verdict {
	if v != frame.Entered {
		return v
	}
	s.sub = s.home.level(s.at.flow)
	s.sub.step(plain, s.body, s.code)
	s.sub.value = s.at.value.Take()
	return f.Enter(&s.sub.Frame)
}

// Release implements frame.Holder for a step that is inside of a guard, or waits for one.
func (s *Step) Release(*frame.Frame) { s.section.Release() }
