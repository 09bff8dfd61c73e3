package frame

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// worker describes the goroutine that works for a wait. In place of a goroutine there may also be a run that the step waits
// for, or work that the loop does. The mutex of the wait guards it.
type worker struct {
	cancel context.CancelCauseFunc // nil once the goroutine has returned, or nobody waits for it any more
	told   time.Duration           // when it was told to stop
	grace  time.Duration           // of the wait; 0: see Frame.grace, below zero: unlimited
	timer  tool.Handle             // of the grace; 0 when it isn't armed
	expire func()                  // orphan, bound once
	broken error                   // the error of a goroutine that broke off while its step was being left
	late   error                   // the error given to FinishLate; nil if there is none
}

// Hire starts a wait of the current step that a goroutine works for, and returns the number by which it is completed.
// cancel stops the goroutine, and Finish tells of its end. grace is how long the step, when it is left, waits for the
// goroutine (C7): zero stands for the grace around it, below zero there is no limit.
func (l *Wait) Hire(f *Frame, cancel context.CancelCauseFunc, grace time.Duration) uint64 {
	l.works = true
	if r := f.Run(); r.tool == nil {
		r.needLoop() // without mu, see lockToRefuse
	}
	l.mu.Lock() // the goroutine of an earlier wait may be returning only now
	defer l.mu.Unlock()
	if l.worker == nil {
		l.worker = &worker{expire: l.orphan}
	}
	l.worker.cancel, l.worker.grace, l.worker.late = cancel, grace, nil
	return l.start(f, waitOpen)
}

// await arms the timer of the grace, if the grace has a limit. It reports false if the loop takes no more work: then nobody
// could tell the loop of the goroutine's end either.
func (w *worker) await(f *Frame) bool {
	t, grace := f.Run().Tool(), f.grace(w.grace)
	if grace < 0 {
		h, err := t.Deferred(never, w.expire)
		t.Cancel(h) // the timer was armed only to learn whether t takes work
		return err == nil
	}
	var err error
	w.timer, err = t.Deferred(max(0, grace-(f.Run().Host().Now()-w.told)), w.expire)
	return err == nil
}

// dismiss forgets the goroutine: its result has arrived or isn't wanted.
func (l *Wait) dismiss() {
	l.mu.Lock()
	l.worker.cancel = nil
	l.mu.Unlock()
}

// Finish tells the wait gen that its goroutine has returned. If the step is being left and waits for the goroutine, Finish lets
// the step go on.
func (l *Wait) Finish(gen uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gen() == gen {
		l.finish()
	}
}

// FinishBroken is Finish for a goroutine that broke off when its step took no result any more. If the step is still being left,
// broken becomes a secondary error of what leaves the step. Otherwise FinishBroken reports false, and the caller has to report
// broken.
func (l *Wait) FinishBroken(gen uint64, broken error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gen() != gen || l.worker.cancel == nil {
		return false
	}
	l.worker.broken = broken
	l.finish()
	return true
}

// finish notes that the goroutine has returned; mu is held.
func (l *Wait) finish() {
	l.worker.cancel = nil
	if l.state() == waitJoining {
		l.fiber.run.post(l.fiber)
	}
}

// FinishLate is Finish with an error, which becomes a secondary one if the step is being left. A nil err adds none.
func (l *Wait) FinishLate(gen uint64, err error) {
	l.mu.Lock()
	if l.gen() == gen {
		l.worker.late = err
	}
	l.mu.Unlock()
	l.Finish(gen)
}

// joined reports whether the goroutine that the step's end waited for has returned or was given up.
func (l *Wait) joined() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state() == waitJoining && l.worker.cancel == nil
}

// joins waits for the goroutine of a wait that is being left; mu is held. over is true if there is no goroutine to wait for any
// more, abandoned if joins has given one up.
func (l *Wait) joins(f *Frame) (over, abandoned bool) {
	w := l.worker
	if l.state() == waitJoining && w.cancel != nil {
		return false, false // woken by something else: still waiting
	}
	if w.cancel != nil {
		if w.await(f) {
			l.enter(waitJoining)
			return false, false
		}
		w.cancel = nil
		abandoned = true // a loop that shuts down can't wait for it
	}
	if w.timer != 0 {
		f.Run().Tool().Cancel(w.timer)
		w.timer = 0
	}
	if w.broken != nil {
		f.fiber.trail.defect(w.broken)
		w.broken = nil
	}
	if w.late != nil {
		f.fiber.trail.also(w.late)
		w.late = nil
	}
	return true, abandoned
}

// orphan is called when the grace is over. If the goroutine hasn't returned, the step goes on without it.
func (l *Wait) orphan() {
	l.mu.Lock()
	l.worker.timer = 0
	s := l.fiber
	waiting := l.state() == waitJoining && l.worker.cancel != nil
	l.worker.cancel = nil
	l.mu.Unlock()
	if !waiting {
		return
	}
	if !s.frozen { // otherwise its turn comes
		s.run.ready.push(s)
		defer s.run.Turn() // even if the loop's error handler ends the goroutine
	}
	s.run.abandoned(s.top)
}
