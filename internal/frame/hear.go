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
	for s := f.fiber; s.fork != nil; s = s.fork.owner {
		if k := s.fork; k.Shields {
			return k.Hears && k.left
		}
	}
	return false
}

// call tells the steps under k that wait, and hear of it, that k is to be left.
func (k *Fork) call() {
	for all := []*Fork{k}; len(all) > 0; {
		k, all = all[len(all)-1], all[:len(all)-1]
		for i := range k.count() {
			f := k.Branch(i).fiber.top
			switch {
			case f == nil:
			case f.fork != nil:
				if !f.fork.Shields {
					all = append(all, f.fork)
				}
			case f.wait != nil:
				if h, ok := f.Op().(Hearer); ok {
					h.Hear(f)
				}
			}
		}
	}
}
