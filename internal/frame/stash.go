package frame

// Run.idle is instances of sub-steps that have ended, the latest first. They stay
// with the memory of the run that used them, which is cheaper to ask than their
// pools: loops enter the same level again and again, and so do runs of one plan.
const (
	stashed  = 32 // so many at the most
	searched = 4  // of them, so many are looked at
)

// release clears the instance of sub-steps that have ended.
func (r *Run) release(in *Instance) {
	in.clear()
	switch {
	case in.memory == nil: // somebody else's, who keeps it
	case r.stashed == stashed:
		in.store()
	default:
		in.next, r.idle = r.idle, in
		r.stashed++
	}
}

// atHand takes an instance with that memory; nil if there is none at hand.
func (r *Run) atHand(m *Memory) *Instance {
	at := &r.idle
	for range searched {
		in := *at
		if in == nil {
			return nil
		}
		if in.memory == m {
			*at, in.next = in.next, nil
			r.stashed--
			return in
		}
		at = &in.next
	}
	return nil
}

// dispense gives all of them back to their pools.
func (r *Run) dispense() {
	for in := r.idle; in != nil; in = r.idle {
		r.idle, in.next = in.next, nil
		in.store()
	}
	r.stashed = 0
}
