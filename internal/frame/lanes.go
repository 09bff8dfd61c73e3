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

// AgainNext is Again, but the branch goes before all others that can go on. Called by the first
// step of a branch for the next one, it makes branches begin one after the other, as if all of
// them had begun with the fork.
func (f *Frame) AgainNext(i int) {
	f.fork.live++
	f.fiber.run.ready.unshift(f.fork.start(i))
}

// HasEnded reports whether branch i has ended, or has never begun.
func (k *Fork) HasEnded(i int) bool { return k.Branch(i).fiber.mode == ended }

// Add makes another branch while k is in use, idle, and returns its number. The branches
// that there are don't move. The next use of k has only those of Grow again, but keeps the memory.
func (k *Fork) Add() int {
	n := len(k.later)
	if n == cap(k.later) || k.later[:n+1][n] == nil {
		k.extend()
	}
	k.later = k.later[:n+1] // the rest of what extend has made is for later
	return k.count() - 1
}

// chunk is how many branches Add makes at once at most.
const chunk = 64

// extend makes memory for as many branches again as there are, up to chunk.
func (k *Fork) extend() {
	more := make([]Branch, min(max(k.count(), 1), chunk))
	for i := range more {
		k.later = append(k.later, &more[i])
	}
}

// hasTaken reports whether s is a lane that has entered the steps of what it has taken, and none of
// them has begun.
func (s *Fiber) hasTaken() bool {
	f := s.top
	return f != nil && f.outer != nil && f.outer.level.Lane && f.pc == 0 && f.bits&begun == 0
}

// Branch is branch i, of Grow or of Add.
func (k *Fork) Branch(i int) *Branch {
	if i < len(k.Branches) {
		return &k.Branches[i]
	}
	return k.later[i-len(k.Branches)]
}

// count is how many branches there are.
func (k *Fork) count() int { return len(k.Branches) + len(k.later) }

// Shrink drops the memory of branches, if k keeps that of more than most.
func (k *Fork) Shrink(most int) {
	if cap(k.Branches) > most {
		k.Branches = nil
	}
	if cap(k.later) > most {
		k.later = nil
	}
}

// HasRoot reports whether the branch was given its level.
func (b *Branch) HasRoot() bool { return b.activation != nil }

// Forks reports whether branches may begin at the current step: it has forked, and
// isn't being left.
func (f *Frame) Forks() bool {
	return f.fork != nil && f.fiber.mode == running && !f.fiber.frozen && !f.fork.settled
}
