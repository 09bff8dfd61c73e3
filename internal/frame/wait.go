package frame

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/goid"
)

// Wait is where a suspended step is completed from outside.
//
//	closed ──OpenInBody──▶ setup ──BodyReturned──▶ open ◀──Open── closed
//	                         │ Claim                 │ Claim
//	                         ▼                       ▼
//	                      claimedEarly            claimed
//	                         │ Complete              │ Complete
//	                         ▼                       ▼
//	                       early ──BodyReturned──▶ ready ──Close─┄┄
//
// Close of a wait that is ready has nothing to change: the next wait has another
// number. One that isn't becomes closed.
//
// A goroutine that completes holds mu from Claim to Complete, while it stores the
// value, so that nobody else finds the wait claimed who holds mu. The goroutine of
// the loop needs no lock: ClaimHere goes from setup to early, and from open to ready,
// in one move.
//
// From any of these but claimed seal makes sealed: the step is frozen. From there, or
// at once, leave makes closed; in between is joining if a goroutine still works
// for the step. A wait that ends as it should costs the loop no lock.
type Wait struct {
	// word is the number of the wait and its state. The loop begins waits, opens,
	// completes and closes them without a lock; all else changes under mu.
	word atomic.Uint64

	home atomic.Pointer[goid.Seat] // of the loop of the current wait; nil if that isn't known

	mu     sync.Mutex
	fiber  *Fiber
	err    error
	worker *worker // made by the first wait that a goroutine works for

	works bool // a goroutine works for this wait; the loop's own
	guard bool // it is a guard that will complete it
}

type slotState uint32

const (
	slotClosed       slotState = iota
	slotSetup                  // can be completed; the body hasn't returned
	slotEarly                  // has been completed, and the body hasn't returned
	slotOpen                   // can be completed
	slotReady                  // has been completed, the step will be resumed
	slotSealed                 // the step is frozen, completion is refused
	slotJoining                // the step waits for its goroutine to return
	slotClaimed                // is being completed
	slotClaimedEarly           // is being completed, and the body hasn't returned
)

// stateBits is how many bits of Wait.word are the state. The others are the number
// of the wait, which can't come back: no loop waits 2^60 times.
const stateBits = 4

// waitOf is what Wait.word holds.
func waitOf(gen uint64, s slotState) uint64 { return gen<<stateBits | uint64(s) }

func (l *Wait) gen() uint64 { return l.word.Load() >> stateBits }

func (l *Wait) state() slotState { return slotState(l.word.Load() & (1<<stateBits - 1)) }

// enter changes the state of the current wait.
func (l *Wait) enter(s slotState) { l.word.Store(waitOf(l.gen(), s)) }

// Open starts a wait of the current step and gives the number that completes
// it. [Wait.Hire] is Open for a wait that a goroutine works for.
func (l *Wait) Open(f *Frame) uint64 {
	l.works = false
	return l.begin(f, slotOpen)
}

// OpenInBody is Open while the body still runs, for which a second completion is a
// mistake and no late one. BodyReturned ends that. It is for waits that no goroutine
// ever works for.
func (l *Wait) OpenInBody(f *Frame) uint64 { return l.begin(f, slotSetup) }

func (l *Wait) begin(f *Frame, s slotState) uint64 {
	r := f.fiber.run
	if r.tool == nil {
		r.Tool() // completion needs the loop: make sure it is there
	}
	if home := r.loop.Seat(); l.home.Load() != home { // a store costs more
		l.home.Store(home)
	}
	gen := l.gen() + 1
	l.fiber = f.fiber
	f.wait = l
	l.word.Store(waitOf(gen, s))
	return gen
}

// BodyReturned ends what OpenInBody has begun.
func (l *Wait) BodyReturned() {
	gen := l.gen()
	if l.word.CompareAndSwap(waitOf(gen, slotSetup), waitOf(gen, slotOpen)) {
		return
	}
	l.mu.Lock()
	if l.state() == slotEarly {
		l.enter(slotReady)
	}
	l.mu.Unlock()
}

// Valid says whether the wait gen can still be completed.
func (l *Wait) Valid(gen uint64) bool {
	now := l.word.Load()
	return now == waitOf(gen, slotOpen) || now == waitOf(gen, slotSetup)
}

// Claim claims the wait gen for its one completion. If it reports true, the
// wait is locked and the caller stores its value and calls Commit.
func (l *Wait) Claim(gen uint64) bool {
	if l.word.Load() == waitOf(gen, slotEarly) {
		l.completedTwice(gen)
	}
	if !l.Valid(gen) {
		return false
	}
	l.mu.Lock()
	for l.Valid(gen) { // once more if BodyReturned has been faster
		if l.word.CompareAndSwap(waitOf(gen, slotOpen), waitOf(gen, slotClaimed)) ||
			l.word.CompareAndSwap(waitOf(gen, slotSetup), waitOf(gen, slotClaimedEarly)) {
			return true
		}
	}
	l.mu.Unlock()
	return false
}

// ClaimHere claims and completes the wait gen if the calling goroutine is that of the
// loop. If it reports true, the caller stores its value and calls CompleteHere. If it
// doesn't, Claim may still.
func (l *Wait) ClaimHere(gen uint64) bool {
	// The loop is that of this wait, or the wait is over and the number tells so.
	if home := l.home.Load(); home == nil || !home.Sure() {
		return false
	}
	return l.word.CompareAndSwap(waitOf(gen, slotOpen), waitOf(gen, slotReady)) ||
		l.word.CompareAndSwap(waitOf(gen, slotSetup), waitOf(gen, slotEarly))
}

// CompleteHere lets the loop resume the step that ClaimHere has completed.
func (l *Wait) CompleteHere(err error) {
	l.err = err
	s := l.fiber
	s.run.completeHere(s, l.state() == slotReady)
}

// completedTwice fails the step if its own body has completed it a second time.
func (l *Wait) completedTwice(gen uint64) {
	l.mu.Lock()
	if l.word.Load() != waitOf(gen, slotEarly) {
		l.mu.Unlock()
		return
	}
	s := l.fiber
	on := s.run.Tool()
	l.mu.Unlock()
	if on.InLoop() {
		// Only the body itself can be running on the loop now (C6, E7).
		s.run.violate(violation(s.top, "completed twice"))
	}
}

// Complete completes what Claim claimed and lets the loop resume the step.
func (l *Wait) Complete(err error) {
	l.err = err
	s := l.fiber
	s.run.complete(s, l)
	l.mu.Unlock()
}

// completed makes the wait one that has ended with success or an error; mu is
// held. From here on the loop may close it.
func (l *Wait) completed() {
	if l.state() == slotClaimedEarly {
		l.enter(slotEarly)
		return
	}
	l.enter(slotReady)
}

// Close ends a completed wait and gives its error. It may also end one that
// isn't completed: somebody may be about to do that, who is waited for.
func (l *Wait) Close(f *Frame) error {
	if !l.done() {
		l.mu.Lock()
		if !l.done() {
			l.enter(slotClosed)
		}
		l.mu.Unlock()
	}
	err := l.err
	l.fiber, l.err = nil, nil
	if l.works {
		l.dismiss()
	}
	f.wait = nil
	return err
}

// done says whether the wait has been completed.
func (l *Wait) done() bool { return l.state() == slotReady }

// refuseUnlessDone refuses completion from now on, unless there was one; then it reports
// false.
func (l *Wait) refuseUnlessDone() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Valid(l.gen()) {
		l.refuse()
	}
	return l.state() != slotReady
}

// seal refuses completion from now on and tells a goroutine to stop.
func (l *Wait) seal(cause error) {
	l.mu.Lock()
	if s := l.state(); s != slotClosed && s != slotJoining {
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

// keepError keeps the error of a wait that is sealed: the step doesn't hear of it,
// but whoever failed the step was told that it counts.
func (l *Wait) keepError(t *trace) {
	if l.err != nil {
		t.also(l.err)
		l.err = nil
	}
}

// refuse refuses completion from now on; mu is held.
func (l *Wait) refuse() {
	if l.works && l.state() != slotSealed {
		l.worker.told = l.fiber.run.Tool().Host().Now()
	}
	l.enter(slotSealed)
}

// leave ends the wait of a step that is being unwound. It reports false while
// a goroutine of the step hasn't returned: the fiber is posted when it has,
// and resumed in any case when its grace is over.
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
	l.word.Store(waitOf(l.gen()+1, slotClosed)) // a goroutine that still returns finds nothing
	f.wait = nil
	l.mu.Unlock()
	if abandoned {
		f.Run().abandoned(f) // without the lock: it calls code of the user's
	}
	return true
}
