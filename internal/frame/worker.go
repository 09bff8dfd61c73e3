package frame

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// Grace is how long the end of a step waits for its goroutine after that was
// told to stop (C7).
const Grace = time.Second

// worker is the goroutine that works for a wait. The mutex of its slot guards
// it.
type worker struct {
	cancel context.CancelCauseFunc // nil once the goroutine has returned, or is given up
	told   time.Duration           // when it was told to stop
	grace  tool.Handle
	expire func() // bound once: it has outlived its grace
}

// hire begins a wait that a goroutine works for, which cancel stops. The one
// of an earlier wait may be returning only now, so this is one change under mu.
func (l *Slot) hire(f *Frame, cancel context.CancelCauseFunc) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.worker == nil {
		l.worker = &worker{expire: l.orphan}
	}
	l.worker.cancel = cancel
	return l.begin(f, slotOpen)
}

// dismiss forgets the goroutine: its result is there.
func (l *Slot) dismiss() {
	l.mu.Lock()
	l.worker.cancel = nil
	l.mu.Unlock()
}

// Finish says that the goroutine of the wait gen has returned. If the step
// has been left meanwhile and waits for it, Finish lets it go on.
func (l *Slot) Finish(gen uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gen() != gen {
		return
	}
	l.worker.cancel = nil
	if l.state() == slotJoining {
		l.strand.run.post(l.strand)
	}
}

// joined says whether the goroutine that the step's end waited for is gone.
func (l *Slot) joined() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state() == slotJoining && l.worker.cancel == nil
}

// joins waits for the goroutine of a wait that is being left; mu is held. It
// reports true when there is none to wait for any more, and whether one was given
// up.
func (l *Slot) joins(f *Frame) (over, abandoned bool) {
	w := l.worker
	if l.state() == slotJoining && w.cancel != nil {
		return false, false // woken by something else: still waiting
	}
	if w.cancel != nil {
		t := f.Run().Tool()
		h, err := t.Deferred(max(0, w.told+Grace-t.Host().Now()), w.expire)
		if err == nil {
			l.enter(slotJoining)
			w.grace = h
			return false, false
		}
		w.cancel = nil
		abandoned = true // a loop that shuts down can't wait for it
	}
	if w.grace != 0 {
		f.Run().Tool().Cancel(w.grace)
		w.grace = 0
	}
	return true, abandoned
}

// orphan is the end of the grace.
func (l *Slot) orphan() {
	l.mu.Lock()
	l.worker.grace = 0
	s := l.strand
	waiting := l.state() == slotJoining && l.worker.cancel != nil
	l.worker.cancel = nil
	l.mu.Unlock()
	if !waiting {
		return
	}
	if !s.doomed { // otherwise its turn comes
		s.run.ready.push(s)
		defer s.run.Turn() // even if who takes the report ends the goroutine
	}
	s.run.abandoned(s.top)
}
