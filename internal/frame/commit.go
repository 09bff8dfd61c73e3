package frame

// A step commits if it has done something that can't be undone by leaving it, such as a saga that has succeeded. A cancel that
// was accepted before leaves the step as if it were still executing. A cancel after the commit counts only if another step
// follows (K5).
//
//	open ──Commit──▶ closing ──the run ends──▶ sealed
//	  ▲                 │ another step begins
//	  └─────reopen──────┘
//
// A closing run refuses to be cancelled, but remembers the request: if the run goes on after all, the cancel counts. Meanwhile
// the alert is above calm, so that no step begins before work has reopened the run.

// Commit decides that the current step, which has succeeded, can't be cancelled any more. It reports false if a cancel of the
// run, or of a run that it is a part of, was accepted and hasn't been delivered yet: then the op returns Halted, and the cancel
// leaves the step.
func (f *Frame) Commit() bool {
	r := f.Run()
	if f.fiber.sheltered() {
		return true // a cancel of the run doesn't concern it
	}
	if l := r.lingers(); l != nil && l.host != nil && l.frame != nil && !l.frame.Commit() {
		return false
	}
	if r.close() {
		return true
	}
	r.reopen()
	return false
}

// close makes the run refuse cancels until reopen. It reports false, and refuses nothing, if a cancel was accepted before and
// hasn't been delivered. A run without a loop is closed too: its caller may cancel it between two turns.
func (r *Run) close() bool {
	if r.cancelDelivered {
		return true
	}
	if r.bound {
		r.untold()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked() != nil {
		r.notify() // untold may just have found the cancel
		return false
	}
	r.closing = true
	r.hold()
	return true
}

// keepClosing keeps a closing run from beginning a step as long as fibers are leaving levels after a success. If none is, it
// reopens the run.
func (r *Run) keepClosing() {
	if r.anyOn(leaving) {
		r.hold() // deliver may have made the alert idle
		return
	}
	r.reopen()
}

// reopen lets cancels of r, and of the runs that r is a part of, be accepted again: another step may begin, or Commit has
// failed.
func (r *Run) reopen() {
	if r.closing {
		r.mu.Lock()
		r.closing = false
		if p := r.posts; p != nil && p.late != nil {
			p.request, p.late = p.late, nil
			r.notify()
		}
		r.mu.Unlock()
		r.unhold()
	}
	if l := r.lingers(); l != nil && l.host != nil {
		l.host.reopen()
	}
}
