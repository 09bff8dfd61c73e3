package frame

// Run.alert tells the loop that goroutines have posted something:
//
//	       post                    deliver
//	idle ────────▶ queued ─────────────────▶ idle
//	 │ ▲ end of turn      post        ▲ deliver
//	 │ └─────────── first ─────────▶ dirty
//	 │  post in the loop's own turn   ▲
//	 └────────────────────────────────┘
//
// The goroutine of the loop queues turns after the first by [Run.here]. These turns leave the alert alone, and Run.inTurn tells
// whether a turn runs. So the completion of a wait on its loop, between two turns, as a rule doesn't change the alert.
//
// When something is put off, several fibers are in transit, or a step has committed, the alert goes from idle or first to
// holding, and later to idle: see due.go, transit.go and commit.go. From holding a post makes it queued or dirty, as from idle.
// When a run with a loop ends, the alert goes to sealed, as a rule from idle or first: a cancel that finds sealed has come too
// late.
//
// A run without a loop queues no turns: its caller calls Turn again.
//
// Code that posts holds Run.mu while it moves the alert, and so do deliver, unseal and sealLocked. Once other goroutines
// know the run, the loop makes all other moves by compare-and-swap; they need no lock.
const (
	idle    uint32 = iota // there are no posts to look at
	first                 // there are no posts, and the first turn, or a later one if all before have yielded, runs or is queued as Run.here
	queued                // there are posts, and posts.item is queued; or its Turn has begun
	dirty                 // there are posts, and a turn runs, or Run.here is queued
	holding               // there are no posts, and no step begins
	sealed                // the result is decided: it is too late to post or to cancel
)

// calm is the last of the states in which steps may begin.
const calm = first

func (r *Run) posted() bool {
	now := r.alert.Load()
	return now == queued || now == dirty
}

// Turn lets the run go on until it is suspended, has ended or has used up its
// share of the loop. The goroutine of the loop calls it or, for a run without a
// loop, the one that drives the run.
func (r *Run) Turn() {
	if r.inTurn {
		return
	}
	if !r.hasEnded { // otherwise a Watch has ended the goroutine at the run's end
		r.inTurn = true
		r.ahead = false
		if r.here.Queued() { // another caller of Turn, such as a timer, was faster
			r.loop.Withdraw(&r.here)
		}
		p := r.firstChunk()
		for !r.shielded(&p) {
			r.recovered()
		}
		r.inTurn = false
	}
	if !r.hasEnded { // a run that waits gives back what it doesn't use
		if r.cache != nil && r.next == nil && r.ready.head == nil {
			r.emptyCache()
		}
		if r.main.unwinding != nil {
			r.main.shelve()
		}
		if r.young != nil {
			r.needLoop() // arms them
			r.outlast()
		}
	}
	if r.hasEnded && r.owner != nil {
		// Nothing may touch r after this: the memory may serve another run before Ended returns.
		r.host.Detach(&r.registration)
		r.owner.Ended(r)
	}
}

// endTurn reports whether there are no posts, so that the turn may end. A later post queues another turn.
func (r *Run) endTurn() bool {
	now := r.alert.Load()
	return now == idle || now == sealed || now == first && r.alert.CompareAndSwap(first, idle)
}

// work drives one fiber after the other until the turn is over.
func (r *Run) work(p *budget) {
	if r.doing >= reporting {
		r.brokenOff()
	}
	for !r.hasEnded {
		if r.alert.Load() > calm && r.posted() {
			r.deliver()
		}
		if r.closing {
			r.keepClosing()
		}
		if r.due != nil && !r.settlePutOff() {
			continue
		}
		switch {
		case r.next == nil && r.ready.head == nil:
			if r.endTurn() {
				return
			}
		case r.quota > 0 || p.more(r) || r.mayNotYield():
			s := r.next
			if s == nil || s.in != inNone || r.ordered || r.due != nil {
				if s = r.takeTurn(); s.leavesNext {
					r.next, r.cur = nil, s
					r.goOnLeaving(s)
					continue
				}
			}
			r.next, r.cur = nil, s
			if s.mode == running {
				r.advance(s)
			} else {
				r.unwind(s)
			}
		default:
			r.yield()
			return
		}
	}
}

// takeTurn is take, and begins a new stint unless the fiber is the one that has executed last.
func (r *Run) takeTurn() *Fiber {
	s := r.take()
	if s != r.cur {
		r.stint = stint - r.quota
	}
	return s
}

// take removes and returns the fiber that goes next. It is called only when that fiber may take a step, so branches begin in
// their order wherever a turn ends (P1, O4).
func (r *Run) take() *Fiber {
	if r.putsOff() {
		return r.nextInTransit(r.due.request == nil)
	}
	if r.ordered {
		if s := r.takeInOrder(); s != nil {
			return s
		}
	}
	if r.ready.inTransit(arrived) != nil {
		if s := r.takeSetAside(); s != nil {
			return s
		}
		if r.due != nil {
			r.hold() // fibers that were set aside go before r.next begins a step
		}
	}
	if s := r.next; s != nil {
		r.next = nil
		s.unqueue() // delivering posts may have queued it too
		return s
	}
	if r.tool != nil && r.ready.head != r.ready.tail {
		return r.ready.take(r.host.Turn().Pick)
	}
	return r.ready.take(nil)
}
