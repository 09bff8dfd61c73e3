package frame

import "sync"

// stash is instances of sub-steps that have ended, the latest first. They stay
// with the memory of the run that used them, which is cheaper to ask than their
// pools: loops enter the same plan again and again, and so do runs of one plan.
type stash struct {
	head *Instance
	n    int
}

const (
	stashed  = 32 // so many at the most
	searched = 4  // of them, so many are looked at
)

// release clears the instance of sub-steps that have ended.
func (r *Run) release(in *Instance) {
	in.clear()
	if r.idle.n == stashed {
		in.store()
		return
	}
	in.next, r.idle.head = r.idle.head, in
	r.idle.n++
}

// Idle takes an instance of pool that is at hand; nil if there is none.
func (r *Run) Idle(pool *sync.Pool) *Instance {
	at := &r.idle.head
	for range searched {
		in := *at
		if in == nil {
			return nil
		}
		if in.pool == pool {
			*at, in.next = in.next, nil
			r.idle.n--
			return in
		}
		at = &in.next
	}
	return nil
}

// store gives everything back to the pools.
func (s *stash) store() {
	for in := s.head; in != nil; in = s.head {
		s.head, in.next = in.next, nil
		in.store()
	}
	s.n = 0
}
