package frame

// Run.cache holds activations of sub-steps that have ended, the latest first. They stay with
// the memory of the run, where they are found faster than in the pools: loops enter the same
// level again and again, and so do runs of one plan.
const (
	cacheSize = 32 // how many are kept at most
	searched  = 4  // how many of them fromCache looks at
)

// release clears the activation of sub-steps that have ended.
func (r *Run) release(in *Activation) {
	in.clear()
	switch {
	case in.memory == nil: // its owner keeps it
	case r.cached == cacheSize:
		in.store()
	default:
		in.root.child, r.cache = r.cache, in
		r.cached++
	}
}

// activation takes an activation with that memory, from the cache or from its pool.
func (r *Run) activation(m *Memory) *Activation {
	if in := r.fromCache(m); in != nil {
		return in
	}
	return m.take()
}

// fromCache takes an activation with that memory from the cache; nil if it finds none.
func (r *Run) fromCache(m *Memory) *Activation {
	at := &r.cache
	for range searched {
		in := *at
		if in == nil {
			return nil
		}
		if in.memory == m {
			*at, in.root.child = in.root.child, nil
			r.cached--
			return in
		}
		at = &in.root.child
	}
	return nil
}

// emptyCache gives all of them back to their pools.
func (r *Run) emptyCache() {
	for in := r.cache; in != nil; in = r.cache {
		r.cache, in.root.child = in.root.child, nil
		in.store()
	}
	r.cached = 0
}
