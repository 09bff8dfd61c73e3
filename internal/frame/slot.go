package frame

import (
	"context"
	"sync"
	"sync/atomic"
)

// Slot is where a suspended step is completed from outside. Its mutex is held
// for the copy of one value, between a goroutine that completes and another
// one, or a loop that takes the wait back. A wait that ends as it should costs
// the loop no lock.
//
//	closed ──Setup──▶ setup ──Armed──▶ open ◀──Open── closed
//	                    │ Commit         │ Commit
//	                    ▼                ▼
//	                  early ──Armed──▶ ready ──Close─┄┄
//
// Close of a wait that is ready has nothing to change: the next wait has another
// number. One that isn't becomes closed.
//
// From any of these seal makes sealed: the step is doomed. From there, or at
// once, leave makes closed; in between is joining if a goroutine still works
// for the step.
type Slot struct {
	// wait is the number of the wait and its state. The loop begins waits, arms
	// them and closes them without a lock; all else changes under mu.
	wait atomic.Uint64

	mu     sync.Mutex
	strand *Strand
	err    error
	worker *worker // made by the first wait that a goroutine works for

	works bool // a goroutine works for this wait; the loop's own
	guard bool // it is a guard that will complete it
}

type slotState uint32

const (
	slotClosed  slotState = iota
	slotSetup             // can be completed; the body hasn't returned
	slotEarly             // has been completed, and the body hasn't returned
	slotOpen              // can be completed
	slotReady             // has been completed, the step will be resumed
	slotSealed            // the step is doomed, completion is refused
	slotJoining           // the step waits for its goroutine to return
)

// stateBits is how many bits of Slot.wait are the state. The others are the number
// of the wait, which can't come back: no loop waits 2^60 times.
const stateBits = 4

// waitOf is what Slot.wait holds.
func waitOf(gen uint64, s slotState) uint64 { return gen<<stateBits | uint64(s) }

func (l *Slot) gen() uint64 { return l.wait.Load() >> stateBits }

func (l *Slot) state() slotState { return slotState(l.wait.Load() & (1<<stateBits - 1)) }

// enter changes the state of the current wait.
func (l *Slot) enter(s slotState) { l.wait.Store(waitOf(l.gen(), s)) }

// Open starts a wait of the current step and gives the number that completes
// it. [Slot.Hire] is Open for a wait that a goroutine works for.
func (l *Slot) Open(f *Frame) uint64 {
	l.works = false
	return l.begin(f, slotOpen)
}

// Setup is Open while the body still runs, for which a second completion is a
// mistake and no late one. Armed ends that. It is for slots that no goroutine
// ever works for.
func (l *Slot) Setup(f *Frame) uint64 { return l.begin(f, slotSetup) }

func (l *Slot) begin(f *Frame, s slotState) uint64 {
	f.Run().Tool() // completion needs the loop: make sure it is there
	gen := l.gen() + 1
	l.strand = f.strand
	f.slot = l
	l.wait.Store(waitOf(gen, s))
	return gen
}

// Armed ends what Setup has begun.
func (l *Slot) Armed() {
	gen := l.gen()
	if l.wait.CompareAndSwap(waitOf(gen, slotSetup), waitOf(gen, slotOpen)) {
		return
	}
	l.mu.Lock()
	if l.state() == slotEarly {
		l.enter(slotReady)
	}
	l.mu.Unlock()
}

// Valid says whether the wait gen can still be completed.
func (l *Slot) Valid(gen uint64) bool {
	now := l.wait.Load()
	return now == waitOf(gen, slotOpen) || now == waitOf(gen, slotSetup)
}

// Begin claims the wait gen for its one completion. If it reports true, the
// slot is locked and the caller stores its value and calls Commit.
func (l *Slot) Begin(gen uint64) bool {
	if l.wait.Load() == waitOf(gen, slotEarly) {
		l.twice(gen)
	}
	if !l.Valid(gen) {
		return false
	}
	l.mu.Lock()
	if l.Valid(gen) {
		return true
	}
	l.mu.Unlock()
	return false
}

// twice fails the step if its own body has completed it a second time.
func (l *Slot) twice(gen uint64) {
	l.mu.Lock()
	if l.wait.Load() != waitOf(gen, slotEarly) {
		l.mu.Unlock()
		return
	}
	s := l.strand
	on := s.run.Tool()
	l.mu.Unlock()
	if on.InLoop() {
		// Only the body itself can be running on the loop now (C6, E7).
		s.run.violate(violation(s.top, "completed twice"))
	}
}

// Commit completes what Begin claimed and lets the loop resume the step.
func (l *Slot) Commit(err error) {
	l.err = err
	s := l.strand
	s.run.complete(s, l)
	l.mu.Unlock()
}

// completed makes the wait one that has ended with success or an error; mu is
// held. From here on the loop may close it.
func (l *Slot) completed() {
	gen := l.gen()
	if l.state() == slotSetup && l.wait.CompareAndSwap(waitOf(gen, slotSetup), waitOf(gen, slotEarly)) {
		return
	}
	l.enter(slotReady) // it was open, or Armed has been faster
}

// Close ends a completed wait and gives its error. It may also end one that
// isn't completed: somebody may be about to do that, who is waited for.
func (l *Slot) Close(f *Frame) error {
	if !l.done() {
		l.mu.Lock()
		if !l.done() {
			l.enter(slotClosed)
		}
		l.mu.Unlock()
	}
	err := l.err
	l.strand, l.err = nil, nil
	if l.works {
		l.dismiss()
	}
	f.slot = nil
	return err
}

// done says whether the wait has been completed.
func (l *Slot) done() bool { return l.state() == slotReady }

// void refuses completion from now on, unless there was one; then it reports
// false.
func (l *Slot) void() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Valid(l.gen()) {
		l.doom()
	}
	return l.state() != slotReady
}

// seal refuses completion from now on and tells a goroutine to stop.
func (l *Slot) seal(cause error) {
	l.mu.Lock()
	if s := l.state(); s != slotClosed && s != slotJoining {
		l.doom()
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

// missed keeps the error of a wait that is sealed: the step doesn't hear of it,
// but whoever failed the step was told that it counts.
func (l *Slot) missed(t *trace) {
	if l.err != nil {
		t.also(l.err)
		l.err = nil
	}
}

// doom refuses completion from now on; mu is held.
func (l *Slot) doom() {
	if l.works && l.state() != slotSealed {
		l.worker.told = l.strand.run.Tool().Host().Now()
	}
	l.enter(slotSealed)
}

// leave ends the wait of a step that is being unwound. It reports false while
// a goroutine of the step hasn't returned: the strand is posted when it has,
// and resumed in any case when its grace is over.
func (l *Slot) leave(f *Frame, cause error) bool {
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
	l.missed(f.strand.trace)
	l.strand = nil
	l.wait.Store(waitOf(l.gen()+1, slotClosed)) // a goroutine that still returns finds nothing
	f.slot = nil
	l.mu.Unlock()
	if abandoned {
		f.Run().abandoned(f) // without the lock: it calls code of the user's
	}
	return true
}
