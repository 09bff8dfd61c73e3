package frame

import "github.com/futoin-go/asyncsteps/internal/usercode"

// Valid reports whether the wait of generation gen can still be completed.
func (l *Wait) Valid(gen uint64) bool {
	now := l.word.Load()
	return now == waitOf(gen, waitOpen) || now == waitOf(gen, waitSetup)
}

// Claim claims the wait gen for its one completion. If it reports true, the wait is locked, and the caller stores its value and
// calls Complete.
func (l *Wait) Claim(gen uint64) bool {
	if l.word.Load() == waitOf(gen, waitEarly) {
		l.completedTwice(gen)
	}
	if !l.Valid(gen) {
		return false
	}
	l.mu.Lock()
	if l.misplaced(gen) {
		return false
	}
	for l.Valid(gen) { // again if BodyReturned has changed the word meanwhile
		if l.word.CompareAndSwap(waitOf(gen, waitOpen), waitOf(gen, waitClaimed)) ||
			l.word.CompareAndSwap(waitOf(gen, waitSetup), waitOf(gen, waitClaimedEarly)) {
			return true
		}
	}
	l.mu.Unlock()
	return false
}

// misplaced refuses the completion of the wait gen if the loop is deterministic and the calling goroutine isn't the
// loop's. The caller holds mu; misplaced unlocks it before it reports true.
//
// misplaced looks at the step only if home is nil, as it is for deterministic loops: then a wait that can be completed ends
// only under mu. Otherwise ClaimHere and Close may end the wait meanwhile.
func (l *Wait) misplaced(gen uint64) bool {
	if l.home.Load() != nil || !l.Valid(gen) {
		return false
	}
	s := l.fiber
	on := s.run.tool
	host := usercode.HostOf(on)
	if !host.Deterministic() || on.InLoop() {
		return false
	}
	err := violation(s.top, "was completed by a goroutine that isn't its loop's, which a deterministic loop refuses")
	guard := l.guard
	l.mu.Unlock()
	if guard { // the caller holds the lock of the guard
		usercode.Elsewhere(func() { host.Report(err) })
	} else {
		host.Report(err)
	}
	return true
}

// ClaimHere claims and completes the wait gen if the calling goroutine is that of the loop. If it reports true, the caller
// stores its value and calls CompleteHere, or calls FailHere with an error. If it reports false, Claim may still succeed.
func (l *Wait) ClaimHere(gen uint64) bool {
	// home may be that of a later wait. Then the wait gen is over, and word has another
	// generation.
	if home := l.home.Load(); home == nil || !home.Sure() {
		return false
	}
	return l.word.CompareAndSwap(waitOf(gen, waitOpen), waitOf(gen, waitReady)) ||
		l.word.CompareAndSwap(waitOf(gen, waitSetup), waitOf(gen, waitEarly))
}

// FailHere is CompleteHere with an error.
func (l *Wait) FailHere(err error) {
	l.err = err
	l.CompleteHere()
}

// CompleteHere lets the loop resume the step that ClaimHere has completed.
func (l *Wait) CompleteHere() { l.fiber.run.completeHere(l.fiber, l.state() == waitReady) }

func (l *Wait) completedTwice(gen uint64) {
	l.mu.Lock()
	if l.word.Load() != waitOf(gen, waitEarly) {
		l.mu.Unlock()
		return
	}
	s := l.fiber
	on := s.run.Home()
	l.mu.Unlock()
	if on.InLoop() {
		// Only the body itself can be running on the loop now (C6, E7).
		s.run.violate(violation(s.top, "completed twice"))
	}
}

// Complete completes the wait that Claim has locked, and lets the loop resume the step. It changes the state last, while r.mu
// is held: the loop must not resume the step before Complete is done with the run.
func (l *Wait) Complete(err error) {
	l.err = err
	r := l.fiber.run
	r.mu.Lock()
	r.posting().inbox.push(l.fiber)
	r.notify()
	l.completed()
	r.mu.Unlock()
	l.mu.Unlock()
}

// completed changes the state of the wait; mu is held. The loop may close the wait afterwards.
func (l *Wait) completed() {
	if l.state() == waitClaimedEarly {
		l.enter(waitEarly)
		return
	}
	l.enter(waitReady)
}
