package frame

import (
	"context"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// Grace is how long the end of a step waits for its goroutine after that was
// told to stop (C7).
const Grace = time.Second

// Slot is where a suspended step is completed from outside. Its mutex is the
// only lock between a run and the goroutines that complete it; it is held for
// the copy of one value.
//
// closed → open (Open) → ready (Commit) → closed (Close), or open → sealed
// (seal: the step is doomed) → closed, or open/sealed → joining (leave: a
// goroutine still works for the step) → closed.
type Slot struct {
	mu     sync.Mutex
	state  slotState
	gen    uint32 // names one wait
	setup  bool   // the body that opened it hasn't returned
	guard  bool   // it is a guard that will complete it
	strand *Strand
	err    error
	cancel context.CancelCauseFunc // of the goroutine; nil if there is none
	told   time.Duration           // when the goroutine was told to stop
	grace  tool.Handle
	expire func() // bound once: the goroutine outlived its grace
}

type slotState uint8

const (
	slotClosed  slotState = iota
	slotOpen              // can be completed
	slotReady             // has been completed, the step will be resumed
	slotSealed            // the step is doomed, completion is refused
	slotJoining           // the step waits for its goroutine to return
)

// Open starts a wait of the current step and gives the number that completes
// it. cancel, if any, stops a goroutine that Finish will be called for.
func (l *Slot) Open(f *Frame, cancel context.CancelCauseFunc) uint32 {
	f.Run().Tool() // completion needs the loop: make sure it is there
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gen++
	l.state = slotOpen
	l.setup = true
	l.strand = f.strand
	l.cancel = cancel
	f.slot = l
	return l.gen
}

// Armed ends the part of a wait in which the body still runs: from now on a
// second completion is a late one, not a mistake of the body.
func (l *Slot) Armed() {
	l.mu.Lock()
	l.setup = false
	l.mu.Unlock()
}

// Begin claims the wait gen for its one completion. If it reports true, the
// slot is locked and the caller stores its value and calls Commit.
func (l *Slot) Begin(gen uint32) bool {
	l.mu.Lock()
	if l.gen == gen && l.state == slotOpen {
		return true
	}
	twice := l.gen == gen && l.state == slotReady && l.setup
	s := l.strand
	var on tool.Tool
	if twice {
		on = s.run.Tool()
	}
	l.mu.Unlock()
	if twice && on.InLoop() {
		// Only the body itself can be running on the loop now (C6, E7).
		s.run.violate(violation(s.top, "completed twice"))
	}
	return false
}

// Commit completes what Begin claimed and lets the loop resume the step.
func (l *Slot) Commit(err error) {
	l.err = err
	l.state = slotReady
	s := l.strand
	s.run.post(s)
	l.mu.Unlock()
}

// Finish says that the goroutine of the wait gen has returned. If the step
// has been left meanwhile and waits for it, Finish lets it go on.
func (l *Slot) Finish(gen uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gen != gen {
		return
	}
	l.cancel = nil
	if l.state == slotJoining {
		l.strand.run.post(l.strand)
	}
}

// Close ends a completed wait and gives its error.
func (l *Slot) Close(f *Frame) error {
	l.mu.Lock()
	err := l.err
	l.state = slotClosed
	l.strand, l.err, l.cancel = nil, nil, nil
	l.mu.Unlock()
	f.slot = nil
	return err
}

// Valid says whether the wait gen can still be completed.
func (l *Slot) Valid(gen uint32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gen == gen && l.state == slotOpen
}

// done says whether the wait has been completed.
func (l *Slot) done() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state == slotReady
}

// joined says whether the goroutine that the step's end waited for is gone.
func (l *Slot) joined() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state == slotJoining && l.cancel == nil
}

// void refuses completion from now on, unless there was one; then it reports
// false.
func (l *Slot) void() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == slotOpen {
		l.state = slotSealed
		l.told = l.strand.run.Tool().Host().Now()
	}
	return l.state != slotReady
}

// seal refuses completion from now on and tells a goroutine to stop.
func (l *Slot) seal(cause error) {
	l.mu.Lock()
	if l.state == slotOpen || l.state == slotReady {
		l.state = slotSealed
		if l.cancel != nil {
			l.told = l.strand.run.Tool().Host().Now()
		}
	}
	cancel := l.cancel
	l.mu.Unlock()
	if cancel != nil {
		cancel(cause)
	}
}

// leave ends the wait of a step that is being unwound. It reports false while
// a goroutine of the step hasn't returned: the strand is posted when it has,
// and resumed in any case when its grace is over.
func (l *Slot) leave(f *Frame, cause error) bool {
	l.seal(cause)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == slotJoining && l.cancel != nil {
		return false // woken by something else: still waiting
	}
	if l.cancel != nil {
		t := f.Run().Tool()
		h, err := t.Deferred(max(0, l.told+Grace-t.Host().Now()), l.orphan())
		if err == nil {
			l.state = slotJoining
			l.grace = h
			return false
		}
		f.Run().abandoned(f) // a loop that shuts down can't wait for it
	}
	if l.grace != 0 {
		f.Run().Tool().Cancel(l.grace)
		l.grace = 0
	}
	if l.err != nil {
		f.strand.trace.also(l.err) // whoever failed the step was told that it counts
	}
	l.state = slotClosed
	l.gen++ // the goroutine, should it still return, finds nothing
	l.strand, l.err, l.cancel = nil, nil, nil
	f.slot = nil
	return true
}

// orphan is the callback for the end of the grace, bound once.
func (l *Slot) orphan() func() {
	if l.expire == nil {
		l.expire = func() {
			l.mu.Lock()
			l.grace = 0
			s := l.strand
			waiting := l.state == slotJoining && l.cancel != nil
			l.cancel = nil
			l.mu.Unlock()
			if waiting {
				s.run.abandoned(s.top)
				if !s.doomed { // otherwise its turn comes
					s.run.ready.push(s)
					s.run.Turn()
				}
			}
		}
	}
	return l.expire
}
