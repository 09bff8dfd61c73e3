package frame

import (
	"context"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

type cancelRequest struct {
	cause error
	late  bool // the cause is a deadline that has passed
	limit bool // the step that waits for the run is left because of a limit, see CancelInner
}

// asked returns the requested cancel, nil if there is none. The caller holds mu, or is in a turn that has looked at the
// posts.
func (r *Run) asked() *cancelRequest {
	if r.posts == nil {
		return nil
	}
	return r.posts.request
}

// Cancel asks the loop to cancel the run (C1). It returns false if the result of the run is decided, or if the run has
// committed; after a commit the cancel still counts if another step begins (K5). Any goroutine may call it, any number of
// times; the first cause counts. A nil cause stands for context.Canceled. The memory must still belong to this run.
func (r *Run) Cancel(cause error) bool { return r.stop(cancelRequest{cause: cause}) }

// CancelInner is Cancel for a run that a step of another run waits for. limit tells whether that step is left because of
// a limit, see [Frame.LeftByLimit].
func (r *Run) CancelInner(cause error, limit bool) bool {
	return r.stop(cancelRequest{cause: cause, limit: limit})
}

// Expire is Cancel for a context whose deadline has passed: the run ends with Timeout.
func (r *Run) Expire(cause error) bool { return r.stop(cancelRequest{cause: cause, late: true}) }

// Bind declares, before the run begins, that the end of its context cancels it: the caller will call Cancel or Expire then. The
// run also looks at the context itself when a step of the run, or of one of its parts, fails or is about to commit.
func (r *Run) Bind() { r.bound = true }

func (r *Run) stop(why cancelRequest) bool {
	if why.cause == nil {
		why.cause = context.Canceled
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.decided {
		return false
	}
	p := r.posting()
	if p.request != nil {
		return r.alert.Load() != sealed
	}
	if r.closing {
		if p.late == nil {
			p.late = new(why)
		}
		return false
	}
	p.request = new(why)
	if !r.notify() { // it was sealed meanwhile
		p.request = nil
		return false
	}
	return true
}

// untold returns the request to cancel the run if the context of the run has ended; otherwise nil. The caller of Bind requests
// that cancel as well, but user code that waits for the end of the context may be faster, and the error of that code must not
// reach a handler.
func (r *Run) untold() *cancelRequest {
	end := usercode.EndOf(r.ctx) // without the lock, because it calls user code
	if end.Cause == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.posting()
	if p.request == nil {
		p.request = &cancelRequest{cause: end.Cause, late: end.Late}
	}
	return p.request
}

// isCancel reports whether the current step of s has failed with the error of a context after the context of the run, or of the
// run that it is a part of, has ended. That failure stands for the cancel of that run: isCancel has the cancel delivered next,
// and no handler is called (C1). isCancel reports false in a shield, and once the cancel was delivered.
func (r *Run) isCancel(s *Fiber) bool {
	whole := r.whole()
	if whole.ctx.Err() == nil || whole.cancelDelivered || s.top.Sheltered() { // a panic in Err counts as one of the step
		return false
	}
	if !fault.Is(s.err, context.Canceled) && !fault.Is(s.err, context.DeadlineExceeded) {
		return false
	}
	why := whole.untold()
	if why == nil {
		return false
	}
	s.err = nil
	if whole != r { // whole takes its turn only after that of r
		r.freeze(&r.main, why.cause)
	}
	whole.mu.Lock()
	whole.notify()
	whole.mu.Unlock()
	return true
}

// requestCancel cancels the run, or puts the cancel off while a fiber is leaving a step that has succeeded.
func (r *Run) requestCancel(h *cancelRequest) {
	if r.anyOn(leaving) {
		r.putOff().request = h
		return
	}
	r.deliverCancel(h)
}

func (r *Run) deliverCancel(h *cancelRequest) {
	r.cancelDelivered = true
	if r.due != nil {
		r.due.request = nil // it may have been put off, and come again after a panic
	}
	r.supersede(&r.main, nil, h.cause, false)
	r.freeze(&r.main, h.cause)
	r.publishCancelled()
}

// limited reports whether the run is cancelled because a limit or a deadline has passed.
func (r *Run) limited() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	why := r.asked()
	return why != nil && (why.late || why.limit)
}

func (r *Run) publishCancelled() {
	kind, why := Cancelled, r.asked()
	if why.late {
		kind = TimedOut
	}
	r.publish(kind, nil, why.cause)
}

func (r *Run) stopped() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if why := r.asked(); why != nil {
		return why.cause
	}
	return context.Canceled
}
