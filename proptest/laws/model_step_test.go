package laws_test

import (
	"slices"
	"strings"
	"time"
)

type result struct {
	how   how
	value int
	why   failure
	sig   *signal
	now   bool // the body itself has answered, and the step ends with it
	broke bool // the body broke a rule: its answer doesn't count
}

type how uint8

const (
	ok how = iota
	failed
	signalled
	dropped
	same // of a handler that is silent or unwinds
)

type signal struct {
	again  bool
	given  bool
	value  int
	target *frame
}

type frame struct {
	s        *fiber
	op       *op
	limit    time.Duration
	deadline time.Duration
	armed    bool
	hook     *hook
	cleanups []cleanup // oldest first
	handled  bool
	branches []*fiber
	broken   *result // result of the branch by which the step ends without success
	wait     *wait
	claim    *claim
	contest  *contest            // of a step that races
	follow   func(*fiber)        // called for a branch that has succeeded, unless a race hears of it
	shield   *shielding          // of a step whose branch isn't left before it ends
	left     bool                // the step is being left
	final    func(r result) bool // does what comes before the step is left, one thing at a time; reports false if there is no more
	saga     *undos
	crew     *crew
}

// hook is the event that a step has if it is left without success.
type hook struct {
	event func() event
	after func() // called after it; may be nil
	seen  bool   // the trace has its event
	bad   bool   // it panics
}

type cleanup struct {
	event event
	bad   bool
}

func (f *frame) arm(limit time.Duration) {
	f.limit, f.deadline, f.armed = limit, f.s.m.now+limit, true
	f.s.m.frames = append(f.s.m.frames, f)
}

// due reports whether the timer of f has an effect when its time has come (C5).
func (f *frame) due() bool {
	s := f.s
	if !f.armed || s.frozen || s.pend.kind == gone {
		return false
	}
	return s.killed == nil || s.killed.stop != nil && s.depth(f) < s.depth(s.killed.stop)
}

func (s *fiber) depth(f *frame) int {
	for i, other := range s.frames {
		if other == f {
			return i
		}
	}
	return -1
}

func (f *frame) expire() {
	f.armed = false
	f.s.kill(f)
}

// seal makes later completions from outside void.
func (f *frame) seal() {
	if f.wait != nil {
		f.wait.open = false
	}
	if f.claim != nil {
		f.claim.sealed = true
	}
}

func (s *fiber) level(ops []*op, in int) result {
	inputs := make([]int, 0, len(ops))
	for i, o := range ops {
		inputs = append(inputs, in)
		r := s.step(o, in)
		if r.how != ok {
			return r
		}
		in = r.value
		switch {
		case o.kind != oCarry:
		case o.n.flav == carryTap:
			in = inputs[i-o.span]
		default:
			in += inputs[i-o.span]
		}
	}
	return result{value: in}
}

func (s *fiber) step(o *op, in int) result {
	f := &frame{s: s, op: o}
	s.frames, s.late = append(s.frames, f), false
	r := s.perform(f, in)
	for {
		if r.how == ok {
			r = s.settle(f, r)
		}
		if r.how == ok {
			s.recovered()
			break
		}
		if r = s.unwind(f, r); r.how != ok {
			break
		}
	}
	f.armed = false
	s.frames = s.frames[:len(s.frames)-1]
	return r
}

// settle ends a step that has succeeded.
func (s *fiber) settle(f *frame, r result) result {
	if f.hook != nil || len(f.cleanups) > 0 || f.armed && f.deadline == s.m.now {
		s.late = true
		if !r.now && !s.mayEnd(f) {
			return result{how: dropped}
		}
	}
	f.armed, f.hook = false, nil
	if s.clean(f) > 0 {
		return failing(panicked)
	}
	r.now = false
	return r
}

// mayEnd waits for the moment at which f ends. That moment doesn't come if the trace has its hook later on.
func (s *fiber) mayEnd(f *frame) bool {
	if f.hook != nil && f.hook.seen {
		return s.block(false, func() bool { return false })
	}
	return s.silent()
}

// onLeave gives f a hook with the event e. If the trace has e later on, and no other hook can have caused it, the step
// doesn't succeed.
func (s *fiber) onLeave(f *frame, e event, bad bool) {
	e.where = s.where
	once := e.act > 0 || !s.looped()
	f.hook = &hook{event: func() event { return e }, seen: once && s.m.comes(e), bad: bad}
}

// looped reports whether s is inside of a loop, a retry or the undos of a saga.
func (s *fiber) looped() bool {
	for ; s != nil; s = s.parent {
		if slices.ContainsFunc(s.frames, func(f *frame) bool {
			return f.op.kind == oLoop || f.op.kind == oRetry || f.saga != nil && f.saga.undoing
		}) {
			return true
		}
	}
	return false
}

// clean runs the cleanups, newest first, until one panics, and returns 1 if one did.
func (s *fiber) clean(f *frame) int {
	for n := len(f.cleanups); n > 0; n = len(f.cleanups) {
		c := f.cleanups[n-1]
		f.cleanups = f.cleanups[:n-1]
		s.last(func() event { return c.event }, c.bad)
		if c.bad {
			return 1
		}
	}
	return 0
}

// last offers the event of a hook or a cleanup, which runs even if the fiber is killed first. If it panics while another
// error is on its way, the order matters: either error may be the first.
func (s *fiber) last(fill func() event, bad bool) {
	s.adds = bad && (s.canBeOvertaken() || s.beside())
	s.show(true, fill)
	s.adds = false
}

// beside reports whether s, or a fiber around it, is left side by side with another one (C10): which errors come first depends on
// which of them ends first.
func (s *fiber) beside() bool {
	for ; s.parent != nil; s = s.parent {
		if len(s.parent.driving) > 1 {
			return true
		}
	}
	return false
}

// unwind leaves a step that has not succeeded (E1, C1). The result is ok if the handler or a Try has recovered.
func (s *fiber) unwind(f *frame, r result) result {
	for {
		switch k := s.killed; {
		case k != nil && k.stop == f:
			s.killed = nil
			r = failing(k.overdue())
		case k != nil:
			r = result{how: dropped}
		}
		s.raise(&r)
		if r.how != dropped && f.armed && f.deadline == s.m.now && !s.silent() {
			continue
		}
		f.armed, f.left = false, true
		if f.contest != nil {
			if len(f.contest.lost) > 0 && r.how != dropped && !s.silent() {
				continue
			}
			s.also = append(s.also, f.contest.bequeath()...)
			s.m.rescue(f) // no other branch begins now
		}
		s.leaveBranches(f)
		f.branches, f.contest, f.follow = nil, nil, nil
		f.seal()
		f.wait = nil
		if f.final != nil {
			if r.how != dropped && !s.silent() {
				continue
			}
			if f.final(r) {
				continue
			}
			f.final = nil
		}
		if hook := f.hook; hook != nil {
			f.hook = nil
			s.last(hook.event, hook.bad)
			if hook.after != nil {
				hook.after()
			}
			if hook.bad {
				s.also = append(s.also, slipped)
			}
		}
		if s.killed == nil && r.how == failed && f.op.tries && !f.handled {
			if !s.silent() {
				continue
			}
			f.handled = true
			tried := s.said(r.why)
			s.recovered()
			return result{value: f.op.n.id*1000 + len(tried)}
		}
		if s.killed == nil && r.how == failed && f.op.h != nil && !f.handled {
			act, did := s.begin(event{what: eHandler, id: f.op.h.id, code: r.why.code, said: s.said(r.why)})
			if !did {
				continue
			}
			f.handled = true
			f.left, f.broken = false, nil
			answer := s.deed(f, f.op.h, act, f.op.h.id*1000, f.op.h.id, &r.why)
			if answer.how == ok {
				s.raised = nil
				return answer
			}
			if !f.op.h.goesOn() { // its limit and its hook don't apply
				f.armed, f.hook = false, nil
			}
			if f.op.h.way == panics || answer.broke { // the handler gave no answer
				s.also = append(s.also, r.why)
			}
			if answer.how != same {
				r = answer
			}
			continue
		}
		if s.killed != nil && r.how != dropped {
			continue
		}
		for s.clean(f) > 0 {
			s.also = append(s.also, slipped)
		}
		if s.killed != nil {
			r = result{how: dropped}
		}
		r.broke = false // for the step around it this is an ordinary error
		return r
	}
}

// nextToDrop returns the first living branch of f that isn't being left yet; nil if there is none. It is open which lane of a
// ParEach has which element, so lanes have the order of the trace, and tasks too. The order of those that have met errors or hold
// shielded parts stays open.
func (s *fiber) nextToDrop(f *frame) *fiber {
	alive := slices.DeleteFunc(slices.Clone(f.branches), func(b *fiber) bool { return b.pend.kind == gone || slices.Contains(s.driving, b) })
	if len(alive) == 0 {
		return nil
	}
	if f.op.n.kind != kEach && f.op.n.kind != kTasks {
		return alive[0]
	}
	first := s.m.nextToShow(alive)
	if !first.shelters() { // otherwise its events may come before it is dropped
		alive = slices.DeleteFunc(alive, func(b *fiber) bool { return b != first && !b.hasMet() && !b.shelters() })
	}
	if len(alive) == 1 {
		return first
	}
	pick := s.m.choose(len(alive))
	at := slices.Index(alive, first)
	return alive[(at+pick)%len(alive)]
}

// hasMet reports whether s, or a living fiber inside of it, has met an error that isn't the result of its step yet.
func (s *fiber) hasMet() bool {
	return slices.ContainsFunc(s.m.fibers, func(b *fiber) bool {
		return (b == s || b.below(s) && b.pend.kind != gone) && (b.raised != nil || len(b.also) > 0 ||
			slices.ContainsFunc(b.frames, func(f *frame) bool { return f.contest != nil && len(f.contest.lost) > 0 }))
	})
}

// nextToShow returns the one of these fibers whose next event comes first in the trace, or the first one if none has an event.
func (m *model) nextToShow(all []*fiber) *fiber {
	for _, e := range m.expected[m.pos:] {
		if i := slices.IndexFunc(all, func(s *fiber) bool { return strings.HasPrefix(e.where, s.where) }); i >= 0 {
			return all[i]
		}
	}
	return all[0]
}

// aim returns the loop on which a break or continue acts; nil if there is none.
func (s *fiber) aim(label int) *frame {
	for ; s != nil; s = s.parent {
		for _, f := range slices.Backward(s.frames) {
			if f.op.kind == oLoop && !f.handled && (label == 0 || f.op.n.label == label) {
				return f
			}
		}
	}
	return nil
}
