package frame

// A fork with lanes has branches that begin while others run, and that begin again
// after they have ended. Its op is a [Follower], and says how many are idle.

// Idle says that n branches of the fork haven't begun: it doesn't wait for them.
func (k *Fork) Idle(n int) { k.live -= n }

// Again begins branch i of the current step's fork, which is idle or has ended.
func (f *Frame) Again(i int) {
	f.fork.live++
	f.Begin(i)
}

// HasEnded reports whether branch i has ended, or has never begun.
func (k *Fork) HasEnded(i int) bool { return k.Branches[i].fiber.mode == ended }

// HasRoot reports whether the branch was given its level.
func (b *Branch) HasRoot() bool { return b.activation != nil }

// Forks reports whether branches may begin at the current step: it has forked, and
// isn't being left.
func (f *Frame) Forks() bool {
	return f.fork != nil && f.fiber.mode == running && !f.fiber.frozen && !f.fork.settled
}
