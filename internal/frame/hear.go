package frame

// A Hearer is an op whose step may wait for something that is pointless once an acquire, or
// the do of an Undo, that it is part of is to be left: the pause of a retry (K3).
type Hearer interface {
	// Hear is called for the current step of f, which waits, on the loop. It must call no code of the user's.
	Hear(f *Frame)
}

// Unwanted reports whether the current step of f is part of a shielded fork that hears that its step is to be
// left.
func (f *Frame) Unwanted() bool {
	for f != nil {
		s := f.fiber
		for ; s.fork != nil; s = s.fork.owner {
			if k := s.fork; k.Shields {
				return k.Hears && k.left
			}
		}
		l := s.run.lingers()
		if l == nil {
			return false
		}
		f = l.frame
	}
	return false
}

// call tells the steps under k that wait, and hear of it, that k is to be left.
func (k *Fork) call() {
	all := k.owner.run.partsUnder(k, k.fibers(nil))
	for len(all) > 0 {
		f := all[len(all)-1].top
		all = all[:len(all)-1]
		switch {
		case f == nil:
		case f.fork != nil:
			if !f.fork.Shields {
				all = f.fork.fibers(all)
			}
		case f.wait != nil:
			if h, ok := f.Op().(Hearer); ok {
				h.Hear(f)
			}
		}
	}
}

// fibers appends the fibers of the branches of k to all.
func (k *Fork) fibers(all []*Fiber) []*Fiber {
	for i := range k.count() {
		all = append(all, &k.Branch(i).fiber)
	}
	return all
}

// partsUnder appends to all the main fibers of the parts of r, and of their parts, that steps under k wait for; with a k of nil,
// any steps. Steps in another shield aren't under k.
func (r *Run) partsUnder(k *Fork, all []*Fiber) []*Fiber {
	if r.record == nil {
		return all
	}
	for l := r.record.part; l != nil; l = l.next {
		if l.frame != nil && l.frame.fiber.under(k) {
			all = l.part.partsUnder(nil, append(all, &l.part.main))
		}
	}
	return all
}

// under reports whether s is under k, or in no shield if k is nil.
func (s *Fiber) under(k *Fork) bool {
	for ; s.fork != nil; s = s.fork.owner {
		if s.fork == k {
			return true
		}
		if s.fork.Shields {
			return false
		}
	}
	return k == nil
}
