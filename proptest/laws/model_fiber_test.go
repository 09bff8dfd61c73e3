package laws_test

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// fiber is a recursive interpreter on a coroutine: of the run, of a branch, or of a shielded part.
type fiber struct {
	m      *model
	parent *fiber
	fork   *frame // the step of the parent whose branch it is
	where  string // the branches around it, in the form of events
	index  int    // of a branch begun by numbered

	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	pend  pending
	did   bool // whether the pending move was made; false if the fiber was killed

	frames  []*frame // innermost last
	frozen  bool     // it waits to be left
	killed  *kill
	driving []*fiber  // branches that it is leaving, side by side (C10)
	raised  *failure  // the error on its way outwards
	also    []failure // the errors that it has met
	adds    bool      // the pending move may add to also
	act     int       // number of the activation of an await step, for its wait
	prompt  bool      // it ends at the moment of its last event
	late    bool      // its last step had something to end after its success, so it isn't prompt
	since   int       // if it is prompt and not late, the number of the success with which it ends, from 1
	out     result
}

// kill asks a fiber to leave the frames inside of stop, at which Timeout is raised; nil means all frames.
type kill struct {
	stop *frame
	met  int // as of a failure
}

// pending is the next move of a fiber.
type pending struct {
	kind  pendKind
	firm  bool         // the move is made even if the fiber is killed first
	event func() event // the event, if the kind is shows
	until func() bool  // the condition, if the kind is blocked

	unlessCancelled bool // the move isn't made while a cancel is on its way
	fails           bool // the fiber learns with this move that its wait was completed with a failure
}

type pendKind uint8

const (
	shows    pendKind = iota // the move has an event
	silently                 // a move without an event
	departs                  // a branch ends in a way that affects its siblings
	blocked                  // there is no move until a condition holds
	gone
)

var errAborted = errors.New("the attempt is over")

// do offers a move, and reports whether it was made; it wasn't if the fiber was killed before.
func (s *fiber) do(p pending) bool {
	if !p.firm && s.killed != nil {
		return false
	}
	s.pend = p
	if !s.yield(struct{}{}) {
		panic(errAborted)
	}
	return s.did
}

func (s *fiber) resume(did bool) {
	s.did = did
	s.next()
}

// show offers a move with an event. fill is called when the model looks at the event.
func (s *fiber) show(firm bool, fill func() event) bool {
	begins := false
	did := s.offer(firm, func() event {
		e := fill()
		begins = e.begins()
		return e
	})
	if did && begins {
		s.uses()
	}
	return did
}

// uses records that a step has begun in the sections around s.
func (s *fiber) uses() {
	for ; s != nil; s = s.parent {
		for _, f := range s.frames {
			if f.claim != nil && f.claim.inside {
				f.claim.begun = true
			}
		}
	}
}

func (s *fiber) offer(firm bool, fill func() event) bool {
	return s.do(pending{kind: shows, firm: firm, event: func() event {
		e := fill()
		e.at = s.m.now
		if e.what != eEnd && !e.anywhere() {
			e.where = s.where
		}
		if e.begins() {
			e.act = s.m.acts + 1
		}
		return e
	}})
}

func (s *fiber) begin(e event) (act int, ok bool) {
	ok = s.show(false, func() event { return e })
	return s.m.acts, ok
}

// fails reports whether a fiber is about to learn that its wait was completed with a failure.
func (m *model) fails() bool {
	return slices.ContainsFunc(m.fibers, func(s *fiber) bool { return s.pend.fails && !s.frozen })
}

func (s *fiber) silent() bool { return s.do(pending{kind: silently}) }

func (s *fiber) block(firm bool, until func() bool) bool {
	if until() && (firm || s.killed == nil) {
		return true
	}
	return s.do(pending{kind: blocked, firm: firm, until: until})
}

// kill cancels s down to stop.
func (s *fiber) kill(stop *frame) {
	s.overtaken()
	s.inherit()
	s.killed = &kill{stop: stop, met: 1 + len(s.also)}
	s.m.freeze(s)
	for _, d := range s.driving {
		d.thaw()
	}
	if s.pend.kind != gone && !s.pend.firm {
		s.resume(false)
	}
}

// freeze stops the fibers below s until s leaves them. Shielded ones go on.
func (m *model) freeze(s *fiber) {
	for _, b := range m.fibers {
		switch {
		case b.parent != s || b.pend.kind == gone:
		case b.fork.shields():
			b.fork.shield.tell(m.now)
		default:
			if b.frozen = true; len(b.frames) > 0 {
				b.frames[len(b.frames)-1].seal()
			}
			m.freeze(b)
		}
	}
}

func (s *fiber) below(other *fiber) bool {
	for p := s.parent; p != nil; p = p.parent {
		if p == other {
			return true
		}
	}
	return false
}

// thaw lets fibers go on: s, which is being left, and the branches that it leaves.
func (s *fiber) thaw() {
	s.frozen = false
	for _, d := range s.driving {
		d.thaw()
	}
}

// part begins to leave branch b, and lets it get as far as it can without waiting.
func (s *fiber) part(b *fiber) {
	s.driving = append(s.driving, b)
	b.thaw()
	if b.killed == nil || b.killed.stop != nil {
		b.kill(nil)
	}
	s.block(true, func() bool { return b.pend.kind == gone || b.waits() })
	s.gather()
}

// partNext begins to leave the next branch of f, or waits for the end of one that is being left. It reports false if none is
// left over.
func (s *fiber) partNext(f *frame) bool {
	if b := s.nextToDrop(f); b != nil {
		// Its shielded parts may end before it is left, and what it waits for beside it may come before its errors.
		if b.shelters() || len(s.driving) > 0 && b.hasMet() {
			s.do(pending{kind: silently, firm: true})
		}
		s.part(b)
		return true
	}
	if len(s.driving) == 0 {
		return false
	}
	s.block(true, func() bool {
		return slices.ContainsFunc(s.driving, func(b *fiber) bool { return b.pend.kind == gone })
	})
	s.gather()
	return true
}

func (s *fiber) gather() {
	s.driving = slices.DeleteFunc(s.driving, func(b *fiber) bool {
		if b.pend.kind != gone {
			return false
		}
		s.also = append(s.also, b.also...)
		return true
	})
}

// waits reports whether s and the fibers inside of it can't go on.
func (s *fiber) waits() bool {
	return !slices.ContainsFunc(s.m.fibers, func(b *fiber) bool {
		return (b == s || b.below(s)) && !b.frozen && b.pend.kind != gone && (b.pend.kind != blocked || b.pend.until())
	})
}

// again reports whether the pending move of s may be made in the next iteration of a loop instead, because another fiber
// may be about to leave this one.
func (s *fiber) again() bool {
	return s.looped() && slices.ContainsFunc(s.m.fibers, func(o *fiber) bool {
		return o != s && !o.frozen && (o.pend.kind == departs || o.pend.kind == silently && o.raised != nil)
	})
}

// distance orders fibers by how likely their moves without events lead to e: first those around the fiber of e, then those
// inside of it, then the others.
func (s *fiber) distance(e event) int {
	if e.what == eHook || e.what == eWithdraw {
		// e follows from the failure of a branch, not from a move of its step
		if s.pend.kind == departs && strings.HasPrefix(e.where, s.parent.where) {
			return len(e.where) - len(s.parent.where)
		}
		return 3000
	}
	switch {
	case e.anywhere():
		return 0
	case strings.HasPrefix(e.where, s.where):
		return len(e.where) - len(s.where)
	case strings.HasPrefix(s.where, e.where):
		return 1000 + len(s.where)
	default:
		return 2000
	}
}

func (s *fiber) runMain() {
	r := s.level(s.m.ops, s.m.p.input)
	end := func() event {
		e := event{what: eEnd}
		switch r.how {
		case ok:
			e.value = r.value
		case failed:
			e.code, e.said = r.why.code, s.said(r.why)
		default:
			e.code, e.said = cancelled.code, s.said(cancelled)
		}
		return e
	}
	for _, told := range s.m.told {
		s.show(true, func() event { return event{what: eTold, said: told} })
	}
	if !s.show(false, end) {
		r = result{how: dropped}
		s.show(true, end)
	}
}

func (s *fiber) branch(run func() result) {
	r := run()
	s.end(r)
	if s.fork.contest != nil {
		s.pend = pending{kind: gone}
		s.m.rescue(s.fork)
	}
}

func (s *fiber) end(r result) {
	if r.how == failed || r.how == signalled || r.how == ok && s.fork.contest != nil {
		if r.how == ok && s.prompt && !s.late {
			s.m.successes++
			s.since = s.m.successes
		}
		if s.do(pending{kind: departs}) {
			s.depart(r)
			return
		}
	}
	s.out = r
	if r.how == ok && s.fork.follow != nil {
		s.fork.follow(s)
	}
	if p := s.parent; len(s.also) > 0 && p.canBeOvertaken() {
		// p may be left before it gets the errors, which matters
		s.do(pending{kind: silently, firm: true})
	}
}

// depart ends a branch in a way that affects its siblings.
func (s *fiber) depart(r result) {
	s.pend, s.out = pending{kind: gone}, r
	p, f := s.parent, s.fork
	switch {
	case f.shield != nil && (p.killed != nil || f.left):
		s.bequeath(r)
		return
	case f.contest != nil && r.how != signalled && f.contest.hears(s, r):
		return
	}
	f.broken, p.also = &r, s.also
	if p.frozen && r.how == failed {
		p.raised = &r.why
	}
	s.m.freeze(p)
}

// wait is a wait for a completion from outside of a fiber.
type wait struct {
	what     what // the event: eDone or eReady
	deadline time.Duration
	frame    *frame
	open     bool // can be completed
	done     bool
	fired    bool
}

func (w *wait) fire() {
	w.fired = true
	if w.open {
		w.open, w.done = false, true
		if w.frame != nil {
			w.frame.armed = false // too late for a timeout of this step
		}
	}
}
