package frame

// Outwards visits the levels around f, across forks, until visit reports false. From a part of
// another run it goes on to the step that waits for the part, unless that was left (P10).
func (f *Frame) Outwards(visit func(*Frame) bool) {
	for s := f.fiber; ; s = f.fiber {
		for f = f.outer; f != nil; f = f.outer {
			if !visit(f) {
				return
			}
		}
		if p := s.parent(); p != nil {
			f = p.top
		} else if l := s.run.lingers(); l != nil && l.frame != nil {
			f = l.frame
		} else {
			return
		}
		if !visit(f) {
			return
		}
	}
}

// flow returns the fiber that the guards take s for: the branch of a shield is no
// flow of its own, because the flow that holds it does nothing else.
func (s *Fiber) flow() *Fiber {
	for s.fork != nil && s.fork.Shields {
		s = s.fork.owner
	}
	return s
}
