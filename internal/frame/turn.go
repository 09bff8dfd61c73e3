package frame

import "context"

// signal is where goroutines and the loop agree whether a turn is due:
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
// when something is put off: see due.go.
const (
	idle    uint32 = iota
	queued         // the loop will call Turn, which has posts to look at
	woken          // the loop will call Turn
	turning        // Turn runs
	dirty          // Turn runs and has posts to look at
	holding        // Turn runs and begins no step
)

// post hands s to the loop: it may be able to go on. Any goroutine; the caller
// holds the lock of the wait that keeps s alive.
func (r *Run) post(s *Fiber) {
	r.mu.Lock()
	r.inbox.push(s)
	r.notify()
	r.mu.Unlock()
}

// complete is post for a fiber whose wait l has its result now. The loop sees
// the result only once the fiber is in the inbox: so it can't be done with
// both before this is.
func (r *Run) complete(s *Fiber, l *Wait) {
	r.mu.Lock()
	r.inbox.push(s)
	r.notify()
	l.completed()
	r.mu.Unlock()
}

// completeHere is complete for the goroutine of the loop, after the fact. done says
// that the body of the step has returned.
func (r *Run) completeHere(s *Fiber, done bool) {
	if now := r.signal.Load(); !done || r.inTurn || r.watcher != nil || now != idle && now != woken {
		r.post(s)
		return
	}
	if s.frozen || s.mode != running {
		return // whoever leaves the step comes to it
	}
	s.wake() // what deliver would do: nothing was posted before
	r.queue(s)
	if r.signal.CompareAndSwap(idle, woken) {
		r.enqueue()
	}
}

// queue has s, which was woken, go on when its turn has come.
func (r *Run) queue(s *Fiber) {
	if r.next == nil && r.single(s) {
		r.next = s
	} else {
		r.ready.push(s)
	}
}

// single reports whether s is the only fiber of the run that can go on: the main one,
// while it executes steps. It needs no queue then.
func (r *Run) single(s *Fiber) bool {
	return s == &r.main && s.mode == running && r.ready.head == nil
}

// Cancel asks the loop to cancel the run (C1); false if the run has ended
// already. Any goroutine, any number of times; the first cause counts. The
// caller sees to it that the run's memory is still this run's.
func (r *Run) Cancel(cause error) bool { return r.stop(cause, false) }

// Expire is Cancel for a context whose deadline has passed: the run ends with
// Timeout.
func (r *Run) Expire(cause error) bool { return r.stop(cause, true) }

func (r *Run) stop(cause error, late bool) bool {
	if cause == nil {
		cause = context.Canceled
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.request == nil && !r.decided {
		r.request = &cancelRequest{cause, late}
		r.notify()
	}
	return !r.decided
}

// notify makes sure that a turn looks at what was just stored under r.mu.
func (r *Run) notify() { r.notifyAfter(r.signal.Load()) }

// notifyAfter is notify after a look at the signal. It looks again if that isn't
// true any more: a timer may have begun a turn meanwhile.
func (r *Run) notifyAfter(seen uint32) {
	for {
		switch seen {
		case turning, holding:
			if r.signal.CompareAndSwap(seen, dirty) {
				return
			}
		case idle:
			if r.signal.CompareAndSwap(idle, queued) {
				r.enqueue()
				return
			}
		case woken:
			if r.signal.CompareAndSwap(woken, queued) {
				return
			}
		default:
			return
		}
		seen = r.signal.Load()
	}
}

// enqueue puts the next turn into the loop's queue, for who has moved the signal. A
// loop that refuses, although the run lives on it, has died: so the run can't go on.
func (r *Run) enqueue() {
	if r.tool == nil { // alone: whoever called Turn looks again
		return
	}
	if err := r.loop.Post(&r.item); err != nil {
		host := r.tool.Host()
		context.AfterFunc(past, func() { host.Report(err) }) // elsewhere: r.mu is held, and others perhaps
	}
}

// past is a context that has ended: what is to run after it runs at once, on a
// goroutine of its own.
var past = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

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
		p := r.newBudget()
		p.first(r)
		for !r.shielded(&p) {
		}
		r.inTurn = false
	}
	if !r.hasEnded { // a run that waits holds only what it uses
		r.emptyCache()
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

// withdraw takes the queued turn out of the loop's queue, if it is there still: a
// timer was faster.
func (r *Run) withdraw() {
	if r.item.Queued() {
		r.loop.Withdraw(&r.item)
	}
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
			r.drive(r.take())
		default:
			r.yield()
			return
		}
	}
}

// take removes the fiber that goes next. It is asked only when that can take
// a step: branches begin in their order wherever a turn ends (P1, O4).
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

// drive lets s go on.
func (r *Run) drive(s *Fiber) {
	r.cur = s
	if s.mode == running {
		r.advance(s)
	} else {
		r.unwind(s)
	}
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

// deliver looks at what was posted since the last time.
func (r *Run) deliver() {
	r.mu.Lock()
	r.withdraw()
	s := r.inbox.pop()
	more := r.inbox.head != nil
	halt := r.request
	r.mu.Unlock()

	for s != nil {
		r.receive(s)
		if !more {
			break
		}
		r.mu.Lock()
		s = r.inbox.pop()
		r.mu.Unlock()
	}
	if halt != nil && !r.cancelDelivered {
		r.requestCancel(halt)
	}
}

// receive looks whether s can go on.
func (r *Run) receive(s *Fiber) {
	switch {
	case s.mode == ended || s.frozen || s.top == nil || s.top.wait == nil:
	case s.mode != running:
		if s.top.wait.joined() {
			r.ready.push(s)
		}
	case s.top.wait.done():
		s.wake()
		r.queue(s)
		r.emit(Resumed, s.top, nil)
	}
}
