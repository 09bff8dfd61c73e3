package frame

import "sync"

// Fiber is one flow of a run: the main one or a branch. The steps of a fiber follow each other; the fibers of a run interleave
// on its loop.
//
// Fibers are embedded in the run and in the branches of its forks. The loop's goroutine owns
// every field but posted and after, which Run.mu guards, and claims: see SetClaims.
type Fiber struct {
	run   *Run
	top   *Frame // innermost level; may be nil when no level is left to execute or to leave
	fork  *Fork  // the fork that it is a branch of; nil for the main fiber
	index int32  // number of the branch, for paths

	mode   mode
	course course     // the course of the fiber when it was queued; Fork, taken and setAside set it too
	in     whichQueue // where it is queued
	posted bool       // it is in the run's inbox
	resume bool       // the current step is to be resumed, not begun
	won    bool       // its steps have succeeded; mode is dropping only until its fork learns of the success
	frozen bool       // it must run no steps, because a fiber that it descends from will drop it in turn

	outgoing   bool  // a branch that has begun to be left, counted by its fork
	yielded    bool  // while outgoing: its holder may already leave the next branch, see Run.queueHolder
	leavesNext bool  // it is in Run.ready to leave the next branch of its fork: see leavefork.go
	heldBack   uint8 // how often it was held back in Run.ready since leavesNext was set

	after *Fiber   // link in the inbox
	links [2]links // its neighbours in each list, indexed by order

	*unwinding // nil until the first error, jump, cancel or success in a race, and after shelve

	claims *Claims // its relations to guards; nil until the first
}

// unwinding holds what a fiber needs to leave levels. A fiber takes an unwinding from a pool on first use, and keeps it. At the
// end of a turn in which the run hasn't ended, the main fiber gives back an unwinding that it doesn't use.
type unwinding struct {
	err    error  // raising, dropping: the reason for leaving; it is raised at stop
	jump   *Jump  // raising, dropping: the jump, while err is errLeft; running: sent by the step, or to be taken by its loop; otherwise nil
	stop   *Frame // dropping: the frame at which the fiber stops leaving levels and raises err; nil to leave all
	target *Frame // raising a jump: the frame whose current step is the loop, in this fiber or in one that it descends from
	trail  *trail // the levels that the error has passed; nil until first needed

	evicted bool // dropping to stop: the step was evicted; if false, its limit has passed

	graced gracedBy // caches graceAround while the fiber leaves levels
}

// unwinds returns s.unwinding and makes it on first use.
func (s *Fiber) unwinds() *unwinding {
	if s.unwinding == nil {
		s.takeUnwinding()
	}
	return s.unwinding
}

// takeUnwinding isn't a part of unwinds, so that unwinds can be inlined.
func (s *Fiber) takeUnwinding() { s.unwinding = unwindings.Get().(*unwinding) }

var unwindings = sync.Pool{New: func() any { return new(unwinding) }}

func (u *unwinding) unused() bool {
	return u.err == nil && u.jump == nil && u.stop == nil && u.target == nil && (u.trail == nil || u.trail.empty())
}

// shelve gives the unwinding of s back to the pool if it isn't used.
func (s *Fiber) shelve() {
	u := s.unwinding
	if s.mode != running || !u.unused() {
		return
	}
	if u.trail != nil {
		u.trail.shrink()
	}
	s.unwinding = nil
	unwindings.Put(u)
}

// failed returns the error given to Fail by the code of the current step, or the error because
// of which s is leaving levels; nil if there is none.
func (s *Fiber) failed() error {
	if s.unwinding == nil {
		return nil
	}
	return s.err
}

// Claims holds the relations of a fiber, or of a race, to guards, for package guard. A fiber keeps its Claims as long as its
// memory exists.
type Claims struct{ Of Claimant }

// Claimant knows which fibers can't go on before others do.
type Claimant interface {
	// Cut is called for the main fiber of a part when the step that has waited for the part is left: from then on no step waits
	// for that fiber.
	Cut()
	// Fewer is called for a race after the number of branches that may decide it has fallen.
	Fewer()
}

// Claims returns the value set by SetClaims, nil before.
func (s *Fiber) Claims() *Claims { return s.claims }

// SetClaims sets the claims of s. The goroutine of another loop may call it while s waits for a run there.
func (s *Fiber) SetClaims(c *Claims) {
	if s.IsPart() {
		l := s.run.lingers()
		l.mu.Lock() // Leave looks at them
		defer l.mu.Unlock()
	}
	s.claims = c
}

// parent returns the fiber that forked s; nil for the main fiber.
func (s *Fiber) parent() *Fiber {
	if s.fork == nil {
		return nil
	}
	return s.fork.holder
}

// Run returns the run that s belongs to.
func (s *Fiber) Run() *Run { return s.run }

// Stops returns the fiber that can't go on unless s does, nil if there is none. For a branch it is the fiber that has forked s;
// a branch of a race stops that fiber only together with the other branches, see Race. For the main fiber it is the flow of the
// step of another run that waits for the end of this run. The goroutine of another loop may call Stops while s waits for a run
// there. If this run is a part, see [Linger], and its step is left during the call, Cut is called after the call.
func (s *Fiber) Stops() *Fiber {
	switch {
	case s.fork != nil:
		return s.fork.holder
	case s.IsPart():
		return s.run.lingers().flow()
	}
	if f := s.run.within(); f != nil {
		return f.Flow()
	}
	return nil
}

// Index sets the number that paths show for the branch.
func (s *Fiber) Index(i int) { s.index = int32(i) }
