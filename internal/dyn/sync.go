package dyn

import "github.com/futoin-go/asyncsteps/internal/frame"

// ask begins a step whose code runs inside a guard. The step's values go to that code, and the code's values are the
// step's result (G1).
func (s *Step) ask(f *frame.Frame) frame.Verdict {
	return s.inside(f, s.section.Enter(f, &s.guard, 1))
}

// resumeGuarded goes on after the wait for the guard, or at the end of the section.
func (s *Step) resumeGuarded(f *frame.Frame) frame.Verdict {
	if !s.section.Inside() {
		return s.inside(f, s.section.Resume(f))
	}
	s.section.Leave(f)
	return s.result()
}

// inside runs the code as a sub-step if the guard has let the step in. The code's handler runs inside the guard too.
func (s *Step) inside(f *frame.Frame, v frame.Verdict) frame.Verdict {
	if v != frame.Entered {
		return v
	}
	s.sub = s.home.level(s.at.flow)
	s.sub.step(plain, s.body, s.code)
	Move(&s.sub.value, &s.at.value)
	return f.Enter(&s.sub.Frame)
}

// Release implements frame.Holder for a step that is inside a guard or waits for it.
func (s *Step) Release(*frame.Frame) { s.section.Release() }
