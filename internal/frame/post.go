package frame

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// post tells the loop that s may be able to go on. Any goroutine may call it; the caller holds
// the lock of the wait that keeps s alive.
func (r *Run) post(s *Fiber) {
	r.mu.Lock()
	r.posting().inbox.push(s)
	r.notify()
	r.mu.Unlock()
}

// completeHere lets s go on after its wait has been completed on the loop. done reports that
// the body of the step has returned.
func (r *Run) completeHere(s *Fiber, done bool) {
	if !done || r.inTurn || r.watched || r.signal.Load() != idle {
		r.postHere(s)
		return
	}
	if s.frozen || s.mode != running {
		return // the code that leaves the step will handle it
	}
	s.wake() // what deliver would do: nothing was posted before
	if r.next == nil && r.single(s) {
		r.next = s
	} else {
		r.ready.push(s)
	}
	if r.here.Queued() {
		return
	}
	if err := r.loop.PostHere(&r.here); err != nil {
		r.lost(err)
	}
}

// postHere is post on the loop: if a turn of the run is in progress, no other turn has to be
// queued.
func (r *Run) postHere(s *Fiber) {
	r.mu.Lock()
	r.posting().inbox.push(s)
	now := r.signal.Load()
	if !r.inTurn || now != idle && now != holding || !r.signal.CompareAndSwap(now, dirty) {
		r.notifyAfter(now)
	}
	r.mu.Unlock()
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

// Cancel asks the loop to cancel the run (C1); false if the run has ended already. Any
// goroutine, any number of times; the first cause counts. The caller must make sure that the
// memory still belongs to this run.
func (r *Run) Cancel(cause error) bool { return r.stop(cause, false) }

// Expire is Cancel for a context whose deadline has passed: the run ends with
// Timeout.
func (r *Run) Expire(cause error) bool { return r.stop(cause, true) }

// Bind tells a run that hasn't begun that the end of its context cancels it: the caller will call Cancel or Expire then.
// The run looks at the context as well before it lets a step have an error from outside.
func (r *Run) Bind() { r.bound = true }

func (r *Run) stop(cause error, late bool) bool {
	if cause == nil {
		cause = context.Canceled
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.decided {
		return false
	}
	p := r.posting()
	if p.request != nil {
		return r.signal.Load() != sealed
	}
	if r.closing {
		if p.late == nil {
			p.late = &cancelRequest{cause, late}
		}
		return false
	}
	p.request = &cancelRequest{cause, late}
	if !r.notify() { // it was sealed meanwhile
		p.request = nil
		return false
	}
	return true
}

// notify makes sure that a turn looks at what was just stored under r.mu. It reports
// false if there will be none: the run is sealed.
func (r *Run) notify() bool { return r.notifyAfter(r.signal.Load()) }

// notifyAfter is notify for a caller that has loaded the signal already. It loads it again if
// the loop has moved it meanwhile.
func (r *Run) notifyAfter(seen uint32) bool {
	for {
		switch seen {
		case idle, holding:
			if r.signal.CompareAndSwap(seen, queued) {
				r.enqueue()
				return true
			}
		case first:
			if r.signal.CompareAndSwap(first, dirty) {
				return true
			}
		default:
			return seen != sealed
		}
		seen = r.signal.Load()
	}
}

// enqueue queues a turn that handles posts. The caller has moved the signal to queued and
// holds mu.
func (r *Run) enqueue() {
	if r.tool == nil { // alone: whoever called Turn looks again
		return
	}
	if err := r.loop.Post(&r.posting().item); err != nil {
		r.lost(err)
	}
}

// GoOn queues a turn of r if there is none, on the loop: code of another run has let one of its fibers go on.
func (r *Run) GoOn() {
	if !r.inTurn && !r.here.Queued() {
		r.enqueueHere()
	}
}

// enqueueHere queues a turn, on the loop.
func (r *Run) enqueueHere() {
	if err := r.loop.PostHere(&r.here); err != nil {
		r.lost(err)
	}
}

// lost reports that the loop refuses the turn of a run that is registered with it: the loop is
// dead, so the run can't go on.
func (r *Run) lost(err error) {
	host := r.host
	usercode.Elsewhere(func() { host.Report(err) }) // r.mu is held, and others perhaps
}
