package frame

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/goid"
)

// Wait is the wait of a suspended step for its completion from outside.
//
//	closed ──OpenInBody──▶ setup ──BodyReturned──▶ open ◀──Open── closed
//	                         │ Claim                 │ Claim
//	                         ▼                       ▼
//	                      claimedEarly            claimed
//	                         │ Complete              │ Complete
//	                         ▼                       ▼
//	                       early ──BodyReturned──▶ ready ──Close─┄┄
//
// Close leaves the state of a wait that is ready as it is, because the next wait has another generation.
// Any other wait becomes closed.
//
// A goroutine that completes holds mu from Claim to Complete, while it stores the value. So
// nobody else who holds mu finds the wait claimed. ClaimHere needs no lock: it
// goes from setup to early, and from open to ready, in one move.
//
// seal moves a wait from any of these states, except closed and the claimed ones, to sealed: the step is frozen, or is to be
// left. leave seals the wait and closes it; in between the wait is joining while a goroutine still works for the step.
type Wait struct {
	// word is the number of the wait and its state. The loop begins, opens and completes waits
	// without a lock where it can; all other changes of word are made under mu.
	word atomic.Uint64

	home atomic.Pointer[goid.Seat] // the seat of the current wait's loop; nil if that isn't known, or the loop is deterministic

	mu     sync.Mutex
	fiber  *Fiber  // the fiber that waits; nil if none does. The loop sets it, others read it under mu
	err    error   // the error that the wait was completed with; nil for a value
	worker *worker // made by the first wait that a goroutine works for

	works bool // a goroutine works for this wait; only the goroutine of the loop uses the field
	guard bool // a guard will complete the wait
}

type waitState uint32

const (
	waitClosed       waitState = iota
	waitSetup                  // can be completed; the body hasn't returned
	waitEarly                  // has been completed, and the body hasn't returned
	waitOpen                   // can be completed
	waitReady                  // has been completed, the step will be resumed
	waitSealed                 // the step is frozen, or is to be left; completion is refused
	waitJoining                // the step waits for its goroutine to return
	waitClaimed                // is being completed
	waitClaimedEarly           // is being completed, and the body hasn't returned
)

// The lowest stateBits bits of Wait.word are the state. The others are the number
// of the wait, which never repeats: no loop waits 2^60 times.
const stateBits = 4

func waitOf(gen uint64, s waitState) uint64 { return gen<<stateBits | uint64(s) }

func (l *Wait) gen() uint64 { return l.word.Load() >> stateBits }

func (l *Wait) state() waitState { return waitState(l.word.Load() & (1<<stateBits - 1)) }

func (l *Wait) enter(s waitState) { l.word.Store(waitOf(l.gen(), s)) }

// ForGuard declares that a guard will complete the waits that l makes.
func (l *Wait) ForGuard() { l.guard = true }

// Open starts a wait of the current step and returns the number by which it is completed. [Wait.Hire] is Open for a
// wait that a goroutine works for.
func (l *Wait) Open(f *Frame) uint64 {
	l.works = false
	return l.start(f, waitOpen)
}

// OpenInBody is Open for a body that is still running: until BodyReturned, a second completion
// by the body fails the step. It is for waits that no goroutine ever works for.
func (l *Wait) OpenInBody(f *Frame) uint64 { return l.start(f, waitSetup) }

func (l *Wait) start(f *Frame, s waitState) uint64 {
	r := f.fiber.run
	if r.tool == nil {
		r.needLoop() // completion needs the loop
	}
	if home := r.loop.Seat(); l.home.Load() != home {
		if r.host.Deterministic() {
			home = nil // see misplaced
		}
		l.home.Store(home)
	}
	gen := l.gen() + 1
	l.fiber = f.fiber
	f.wait = l
	l.word.Store(waitOf(gen, s))
	return gen
}

// BodyReturned tells the wait gen that the body which has opened it has returned. If the wait was completed meanwhile, the
// completion counts from now on.
func (l *Wait) BodyReturned(gen uint64) {
	if l.word.CompareAndSwap(waitOf(gen, waitSetup), waitOf(gen, waitOpen)) {
		return
	}
	l.mu.Lock() // it was completed meanwhile, or is being completed: then mu is held
	l.enter(waitReady)
	l.mu.Unlock()
}

// Close ends the wait and returns its error. It may be called before the wait is completed: then it waits for mu,
// which a goroutine that is about to complete the wait may hold.
func (l *Wait) Close(f *Frame) error {
	if !l.done() {
		l.mu.Lock()
		l.enter(waitClosed)
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

func (l *Wait) done() bool { return l.state() == waitReady }

// refuseUnlessDone refuses completion from now on, and reports true. If the wait has been completed, it does nothing
// and reports false.
func (l *Wait) refuseUnlessDone() bool {
	l.lockToRefuse()
	defer l.mu.Unlock()
	if l.Valid(l.gen()) {
		l.refuse()
	}
	return l.state() != waitReady
}

// seal refuses completion from now on and tells a goroutine to stop.
func (l *Wait) seal(cause error) {
	l.lockToRefuse()
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
func (l *Wait) keepError(t *trail) {
	if l.err != nil {
		t.overtaken(outside(l.err))
		l.err = nil
	}
}

// lockToRefuse takes mu for refuse. If a goroutine works for the wait, it first arms the limits, which refuse would otherwise
// do under mu: a loop that refuses a limit calls its error handler, and that user code may complete this very wait.
func (l *Wait) lockToRefuse() {
	if l.works {
		l.fiber.run.needLoop()
	}
	l.mu.Lock()
}

// refuse refuses completion from now on; mu is held.
func (l *Wait) refuse() {
	if l.works && l.state() != waitSealed {
		l.worker.told = l.fiber.run.Host().Now()
	}
	l.enter(waitSealed)
}

// leave ends the wait of a step that is being unwound. It reports false while a goroutine of the step hasn't returned: the
// fiber is posted when the goroutine has, or as a rule when the grace is over. It also reports false when it has left a
// goroutine behind: then the fiber goes next.
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
	l.keepError(f.fiber.trail)
	l.fiber = nil
	l.word.Store(waitOf(l.gen()+1, waitClosed)) // a goroutine that returns later finds another generation
	f.wait = nil
	l.mu.Unlock()
	if abandoned {
		r := f.Run()
		r.next = f.fiber
		r.abandoned(f) // last, and without the lock: it may end the goroutine
	}
	return !abandoned
}
