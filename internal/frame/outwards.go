package frame

// Outwards visits the levels around f, across forks, until visit reports false.
func (f *Frame) Outwards(visit func(*Frame) bool) {
	for s := f.fiber; ; s = s.parent() {
		for f = f.parent; f != nil; f = f.parent {
			if !visit(f) {
				return
			}
		}
		if s.parent() == nil {
			return
		}
		if f = s.parent().top; !visit(f) {
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
