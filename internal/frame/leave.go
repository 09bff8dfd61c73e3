package frame

import "context"

// refuseUnlessDone refuses completion from now on, unless the wait has been completed; then it
// reports false.
func (l *Wait) refuseUnlessDone() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Valid(l.gen()) {
		l.refuse()
	}
	return l.state() != waitReady
}

// seal refuses completion from now on and tells a goroutine to stop.
func (l *Wait) seal(cause error) {
	l.mu.Lock()
	if s := l.state(); s != waitClosed && s != waitJoining {
		l.refuse()
	}
	var cancel context.CancelCauseFunc
	if l.works {
		cancel = l.worker.cancel
	}
	l.mu.Unlock()
	if cancel != nil {
		cancel(cause)
	}
}

// keepError keeps the error with which a sealed wait was completed: the step doesn't get it,
// but the code that completed the wait was told that the error counts.
func (l *Wait) keepError(t *trace) {
	if l.err != nil {
		t.also(outside(l.err))
		l.err = nil
	}
}

// refuse refuses completion from now on; mu is held.
func (l *Wait) refuse() {
	if l.works && l.state() != waitSealed {
		l.worker.told = l.fiber.run.Tool().Host().Now()
	}
	l.enter(waitSealed)
}

// leave ends the wait of a step that is being unwound. It reports false while
// a goroutine of the step hasn't returned: the fiber is posted when it has,
// and resumed in any case when its grace is over. It also reports false when it has left a goroutine
// behind: then the fiber goes next.
func (l *Wait) leave(f *Frame, cause error) bool {
	l.seal(cause)
	l.mu.Lock()
	abandoned := false
	if l.works {
		var over bool
		if over, abandoned = l.joins(f); !over {
			l.mu.Unlock()
			return false
		}
	}
	l.keepError(f.fiber.trace)
	l.fiber = nil
	l.word.Store(waitOf(l.gen()+1, waitClosed)) // a goroutine that still returns finds nothing
	f.wait = nil
	l.mu.Unlock()
	if abandoned {
		r := f.Run()
		r.next = f.fiber
		r.abandoned(f) // last, and without the lock: it may end the goroutine
	}
	return !abandoned
}
