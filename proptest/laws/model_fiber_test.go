package laws_test

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// fiber is one flow of the model: a recursive interpreter on a coroutine.
type fiber struct {
	m      *model
	parent *fiber
	fork   *frame // of the parent, that it is a branch of
	where  string // as in events
	index  int    // of a branch that began with numbered

	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	pend  pending
	did   bool // what was pending has been done; false: the fiber was killed

	frames  []*frame // innermost last
	frozen  bool     // waits for its turn to be dropped
	killed  *kill
	driving *fiber    // the branch that it is dropping
	raised  *failure  // on its way outwards
	also    []failure // that it has met there
	adds    bool      // what is pending adds to them
	act     int       // of the latest activation, for the step that follows
	out     result
}

// kill leaves everything down to the frame stop, where Timeout is raised; nil
// means all.
type kill struct{ stop *frame }

// pending is what a fiber would do next.
type pending struct {
	kind  pendKind
	firm  bool         // it is done even if the fiber is killed first
	event func() event // of shows
	until func() bool  // of blocked
}

type pendKind uint8

const (
	shows    pendKind = iota // an event
	silently                 // a move that shows nothing
	departs                  // a branch ends with an error
	blocked                  // nothing, for now
	gone
)

var errAborted = errors.New("the attempt is over")

// do offers a move and reports whether it was made: false if the fiber was
// killed before.
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

// show offers an event; what is filled in when it is looked at.
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

// uses notes that a step has begun in the sections that s is inside of.
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

// begin offers the beginning of an activation.
func (s *fiber) begin(e event) (act int, ok bool) {
	ok = s.show(false, func() event { return e })
	return s.m.acts, ok
}

func (s *fiber) silent() bool { return s.do(pending{kind: silently}) }

func (s *fiber) block(firm bool, until func() bool) bool {
	if until() && (firm || s.killed == nil) {
		return true
	}
	return s.do(pending{kind: blocked, firm: firm, until: until})
}

// kill drops the fiber down to stop.
func (s *fiber) kill(stop *frame) {
	s.overtaken()
	s.killed = &kill{stop}
	s.m.freeze(s)
	for d := s.driving; d != nil; d = d.driving {
		d.frozen = false
	}
	if s.pend.kind != gone && !s.pend.firm {
		s.resume(false)
	}
}

// freeze stops everything below s, until s comes to it. What is shielded goes on.
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

// drop cancels branch b entirely and waits for its end.
func (s *fiber) drop(b *fiber) {
	s.driving = b
	for d := b; d != nil; d = d.driving {
		d.frozen = false
	}
	if b.killed == nil || b.killed.stop != nil {
		b.kill(nil)
	}
	s.block(true, func() bool { return b.pend.kind == gone })
	s.driving = nil
	s.also = append(s.also, b.also...)
}

// again says whether what s would do may be done by the next turn of a loop
// instead: a branch beside it is about to leave this one.
func (s *fiber) again() bool {
	return s.looped() && slices.ContainsFunc(s.m.fibers, func(o *fiber) bool {
		return o != s && !o.frozen && o.pend.kind == departs && s.below(o.parent)
	})
}

// distance orders fibers by how likely a silent move of theirs leads to e: those
// that its own fiber is in, those inside of it, the others.
func (s *fiber) distance(e event) int {
	if e.what == eHook || e.what == eWithdraw {
		// A branch that fails is the reason, not what the step itself could do.
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

// runMain is the main fiber.
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

// branch is a fiber that runs ops.
func (s *fiber) branch(run func() result) {
	r := run()
	s.end(r)
}

// end is the end of a branch: an error that isn't dropped freezes its siblings.
func (s *fiber) end(r result) {
	if r.how == failed || r.how == signalled || r.how == ok && s.fork.contest != nil {
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
		// It matters whether that happens before p hears of these.
		s.do(pending{kind: silently, firm: true})
	}
}

// depart is the end of a branch that acts on its siblings.
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

// wait is a wait for a completion from outside of the fiber.
type wait struct {
	what     what // eDone or eReady
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
