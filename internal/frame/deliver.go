package frame

import (
	"context"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// deliver handles what was posted since the last call.
func (r *Run) deliver() {
	r.mu.Lock()
	r.withdraw()
	r.signal.Store(idle)
	p := r.posting()
	s := p.inbox.pop()
	more := p.inbox.head != nil
	halt := p.request
	var evicted *Lease
	if r.due != nil {
		evicted, r.due.evicted = r.due.evicted, nil
	}
	r.mu.Unlock()

	if evicted != nil {
		r.receiveEvictions(evicted) // first: a Watch may end the goroutine
	}
	failed := false
	for s != nil {
		failed = r.receive(s) || failed
		if !more {
			break
		}
		r.mu.Lock()
		s = p.inbox.pop()
		r.mu.Unlock()
	}
	if failed && halt == nil && r.bound {
		halt = r.untold()
	}
	if halt != nil && !r.cancelDelivered {
		r.requestCancel(halt)
	}
}

// untold looks whether the context of the run has ended, and returns the request to cancel the run then; nil if the
// context lasts. The goroutine that waits for its end requests the cancel as well. But code of the user's that waits for
// the same end may be faster, and its error must not reach a handler.
func (r *Run) untold() *cancelRequest {
	end := usercode.EndOf(r.ctx) // without the lock: it calls code of the user's
	if end.Cause == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.posting()
	if p.request == nil {
		p.request = &cancelRequest{end.Cause, end.Late}
	}
	return p.request
}

// isCancel reports whether the error with which the current step of s has failed is that of the run's context, which has
// ended. Then it is the cancel of the run, which comes next: no handler is asked about it (C1).
func (r *Run) isCancel(s *Fiber) bool {
	if r.ctx.Err() == nil || r.cancelDelivered || s.sheltered() { // a panic of Err is one of the step's
		return false
	}
	if !fault.Is(s.err, context.Canceled) && !fault.Is(s.err, context.DeadlineExceeded) || r.untold() == nil {
		return false
	}
	s.err = nil
	r.mu.Lock()
	r.notify()
	r.mu.Unlock()
	return true
}

// receive lets s go on if it can. It reports whether s goes on with an error from outside.
func (r *Run) receive(s *Fiber) (failed bool) {
	switch {
	case s.mode == ended || s.frozen || s.top == nil || s.top.wait == nil:
	case s.mode != running:
		if s.top.wait.joined() {
			r.ready.push(s)
		}
	case s.top.wait.done():
		failed = s.top.wait.err != nil
		s.wake()
		r.queue(s)
		r.emit(Resumed, s.top, nil)
	}
	return failed
}

// withdraw takes the turn that a post has queued out of the loop's queue, if it is there
// still: the turn that runs handles the posts. mu is held.
func (r *Run) withdraw() {
	if p := r.posts; p != nil && p.item.Queued() {
		r.loop.Withdraw(&p.item)
	}
}
