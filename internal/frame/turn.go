package frame

// signal is where goroutines tell the loop that there is something to look at:
//
//	     completed in the loop
//	idle ──────────────────────▶ woken ──Turn──┐
//	 │                             │ post      ▼
//	 └──post──▶ queued ◀───────────┘        turning ──┬─▶ idle
//	              │                          ▲ │ ▲    └─yield─▶ woken
//	              └──Turn────────────────────┘ │ │ deliver
//	                                      post ▼ │
//	                                         dirty ◀──post── holding
//
// Queued and woken stand for an item in the loop's queue. With woken, the inbox is
// empty and no cancel is requested. A turn goes from turning to holding, and back,
// when something is put off: see due.go. The turn in which the run ends goes from
// turning to sealed: a cancel that finds sealed has come too late.
const (
	idle    uint32 = iota
	queued         // the loop will call Turn, which has posts to look at
	woken          // the loop will call Turn
	turning        // Turn runs
	dirty          // Turn runs and has posts to look at
	holding        // Turn runs and begins no step
	sealed         // the result is decided, and nothing was posted or requested before
)

// Turn lets the run go on until it is suspended, has ended or has used up its
// share of the loop. It runs on the loop's goroutine.
func (r *Run) Turn() {
	if r.inTurn {
		return
	}
	if !r.hasEnded { // it is if a Watch has ended the goroutine at the run's end
		r.inTurn = true
		r.settled = false
		r.news = r.beginTurn()
		p := r.firstChunk()
		for !r.shielded(&p) {
		}
		r.inTurn = false
	}
	if !r.hasEnded { // a run that waits holds only what it uses
		if r.cache != nil {
			r.emptyCache()
		}
		if r.main.unwinding != nil {
			r.main.shelve()
		}
		if r.young != nil {
			r.Tool() // arms them
		}
	}
	if r.hasEnded && r.owner != nil {
		// The last touch: the memory may serve another run before this returns.
		r.tool.Host().Detach(&r.registration)
		r.owner.Ended(r)
	}
}

// beginTurn turns the signal to turning; it says whether there are posts to look at.
// A run without a loop has nobody to agree with: nothing is left for it in the
// signal but a cancel from before its turn, if that.
func (r *Run) beginTurn() bool {
	if r.tool == nil && r.signal.Load() == idle {
		return false
	}
	switch r.signal.Swap(turning) {
	case queued:
		return true // deliver withdraws the queued turn: whoever queues it holds mu
	case woken:
		r.withdraw()
	}
	return false
}

// work drives one fiber after the other until the turn is over.
func (r *Run) work(p *budget) {
	if r.doing == reporting || r.doing == quitting {
		r.brokenOff()
	}
	for !r.hasEnded {
		if r.signal.Load() == dirty {
			r.signal.Store(turning)
			r.news = true
		}
		if r.news {
			r.news = false
			r.deliver()
		}
		if r.due != nil && !r.settlePutOff() {
			continue
		}
		switch {
		case r.next == nil && r.ready.head == nil:
			if r.signal.CompareAndSwap(turning, idle) {
				return
			}
		case r.left > 0 || p.more(r):
			s := r.next
			if s == nil || s.in != nowhere || r.raced || r.due != nil {
				s = r.take()
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

// take removes the fiber that goes next. It is asked only when that can take
// a step: branches begin in their order wherever a turn ends (P1, O4). If only
// r.next can go, work takes that by itself.
func (r *Run) take() *Fiber {
	if r.putsOff() {
		return r.nextInTransit(r.due.request == nil)
	}
	if r.raced && (r.anyOn(leaving) || r.anyOn(undoing)) {
		return r.nextInTransit(true) // it may decide the race: no branch begins before (P6)
	}
	if s := r.next; s != nil {
		r.next = nil
		s.unqueue() // what was delivered may have queued it too
		return s
	}
	if r.tool != nil && r.ready.head != r.ready.tail {
		return r.ready.take(r.tool.Host().Turn().Pick)
	}
	return r.ready.take(nil)
}

// yield ends the turn of a run that could go on, and goes to the back of the
// queue; so does, among the fibers, the one that was going.
func (r *Run) yield() {
	if s := r.next; s != nil && !r.single(s) {
		r.next = nil
		if r.raced && s.courseNow() != onward { // what others post meanwhile comes after it
			r.ready.unshift(s)
		} else {
			r.ready.push(s)
		}
	}
	if r.tool == nil { // alone: whoever called Turn calls it again
		r.signal.Store(idle)
		return
	}
	if !r.signal.CompareAndSwap(turning, woken) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.signal.Store(queued)
	}
	r.enqueue()
}
