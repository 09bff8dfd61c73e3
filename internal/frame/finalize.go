package frame

// A Finalizer is an op whose step may have to take further steps before it is left
// without success: see Frame.Finally.
type Finalizer interface {
	// Finalize is called when everything inside of the step has been left, before its
	// hook and its handler. It reports whether it has started such steps, with
	// Fork of a shielded one; then it is called again when they have ended.
	Finalize(f *Frame, how Leaving) bool
}

// Leaving describes how a step is left that didn't succeed.
type Leaving struct {
	Err       error
	Cancelled bool // no handler is asked: it is left from outside, or by a signal
}

// Finally makes the machine call the op of the current step, a [Finalizer], before the step is
// left without success.
func (f *Frame) Finally() { f.mark(final) }

// Unfinally undoes Finally.
func (f *Frame) Unfinally() { f.unmark(final) }

// finalize runs the further steps that the op of the current step needs before the step is
// left. It reports false while they run.
func (r *Run) finalize(s *Fiber, f *Frame) bool {
	how := Leaving{Err: s.err, Cancelled: s.mode == dropping || s.target != nil}
	if !how.Cancelled {
		how.Err = s.trace.joined(s.err)
	}
	if f.Op().(Finalizer).Finalize(f, how) {
		if !r.awaitShielded(s, f) {
			r.next = s // to leave them
		}
		return false
	}
	f.unmark(final)
	return true
}
