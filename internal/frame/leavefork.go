package frame

// leaveFork leaves the branches of the current step of f. It reports false while
// one of them has to end first.
func (r *Run) leaveFork(s *Fiber, f *Frame) bool {
	k := f.fork
	b := k.first()
	if b != nil && k.shields() && r.awaitShielded(s, f) {
		return false
	}
	k.bequeath(s.trace)
	if b != nil {
		if b.mode != dropping || b.stop != nil {
			r.supersede(b, nil, s.err)
			b.signal = s.signal
			if k.Shields {
				k.endContext(s.err)
			}
		}
		b.frozen = false // its turn has come
		r.next = b
		return false
	}
	if k.armed {
		k.armed = false
		f.resources.disarm()
	}
	if f.bits&final == 0 { // otherwise its op takes the results first
		f.Join(k)
	}
	f.fork = nil
	return true
}

// bequeath passes the error of s, a branch of a shielded fork that is being left, to the fiber
// p that holds the fork.
func (s *Fiber) bequeath(p *Fiber, err error) {
	p.trace.also(err)
	p.trace.defects = append(p.trace.defects, s.trace.defects...)
	if s.fork.final { // it went wrong while the step was left
		p.trace.defects = append(p.trace.defects, err)
	}
}
