package laws_test

import (
	"strconv"
)

// op is one step of a level.
type op struct {
	kind  opKind
	n     *node
	inner []*op
	kids  [][]*op // branches of a fork, or the levels of steps with several
	h     *body   // its handler

	tries  bool // it turns an error into a value
	graces bool // it sets the grace of its step
	span   int  // of oCarry: the number of steps before it around which it carries their input
}

type opKind uint8

const (
	oPlain opKind = iota // as the kind of the node says
	oQuiet               // an internal step without events
	oGroup               // a step that holds inner
	oReady               // the wait for the goroutine of await, behind the body
	oLoop
	oRetry
	oCarry
)

func compile(n *node) []*op {
	if ops := n.construct().ops; ops != nil {
		return ops(n)
	}
	o := &op{n: n}
	if len(n.kids) > 0 {
		o.inner = compile(n.kids[0])
	}
	return []*op{o}
}

// apart returns one step with a level for each of the stages inside.
func apart(n *node) []*op {
	o := &op{n: n}
	for _, kid := range n.kids {
		o.kids = append(o.kids, compile(kid))
	}
	return []*op{o}
}

func (s *fiber) perform(f *frame, in int) result {
	switch o := f.op; o.kind {
	case oQuiet, oCarry:
		return s.quietly(in)
	case oGroup:
		return s.level(o.inner, in)
	case oLoop:
		return s.loop(f, in)
	case oRetry:
		return s.retry(o, in)
	case oReady:
		f.wait = s.m.waits[s.act]
		f.wait.frame, f.wait.open = f, true
		return s.await(f, o.n.body, in+o.n.body.id)
	default:
		return o.n.construct().perform(s, f, in)
	}
}

// quietly executes a step without events.
func (s *fiber) quietly(value int) result {
	if s.mayRunOut() && !s.silent() {
		return result{how: dropped}
	}
	return result{value: value}
}

// deed executes the rest of a body, or of a handler, that has begun.
func (s *fiber) deed(f *frame, b *body, act, value, in int, handling *failure) result {
	m := s.m
	for i := 1; i <= b.resources.cleanups; i++ {
		f.cleanups = append(f.cleanups, cleanup{event{what: eCleanup, id: b.id, act: act, value: i}, b.resources.badClean == i})
	}
	if b.resources.limit > 0 {
		f.arm(b.resources.limit)
	}
	if b.resources.hook {
		s.onLeave(f, event{what: eHook, id: b.id, act: act}, b.resources.hookBad)
	}
	switch b.way {
	case fails:
		return failing(b.failure())
	case panics:
		return failing(panicked)
	case failsNil:
		return failing(broken("failed without an error"))
	case finishTwice:
		return breaking("completed twice")
	case silent:
		switch {
		case handling != nil:
			return result{how: same}
		case f.armed || b.resources.hook:
			s.block(false, func() bool { return false })
			return result{how: dropped}
		}
		return result{now: true}
	case unwinds:
		if handling != nil {
			return result{how: same}
		}
		return failing(broken("returned step.Unwind, which only error handlers may"))
	case rethrows:
		return failing(*handling)
	case enters:
		s.recovered()
		return s.level(compile(b.kid), in)
	case waits, waitsFail:
		s.recovered()
		f.wait = &wait{what: eDone, frame: f, open: true}
		if b.wait > 0 {
			f.wait.deadline = m.now + b.wait
		}
		m.waits[act] = f.wait
		return s.await(f, b, value)
	case breaks, continues:
		if m.counts[b.id]++; m.counts[b.id] > b.n {
			break
		}
		target := s.aim(b.label)
		if target == nil {
			return failing(lost(b))
		}
		return result{how: signalled, sig: &signal{again: b.way == continues, given: b.label != 0, value: value, target: target}}
	case usesStale:
		if m.stale {
			return breaking("used the scope of a step that has ended")
		}
	case cancels:
		m.cancel = true
	case addsTask:
		if m.counts[b.id]++; m.counts[b.id] > b.n {
			break
		}
		if wrong := s.addTask(b, in+1); wrong != "" {
			return breaking(wrong)
		}
	}
	return result{value: value, now: true}
}

func (s *fiber) await(f *frame, b *body, value int) result {
	w := f.wait
	fails := b.way == waitsFail
	if !s.block(false, func() bool { return w.done }) || fails && !s.do(pending{kind: silently, fails: true}) {
		if fails && w.done {
			s.leaves(w, b.failure())
		}
		return result{how: dropped}
	}
	f.wait = nil
	if fails {
		return failing(b.failure())
	}
	if s.m.fails() {
		s.do(pending{kind: silently, firm: true}) // another fiber's handler that answers at once comes first
	}
	return result{value: value}
}

// leaves keeps the failure of a step that is left before it has taken it. It is older than what the step is left for; but that of
// a goroutine may also be younger, or come too late to count.
func (s *fiber) leaves(w *wait, why failure) {
	older := true
	if w.what == eReady {
		ways := 2
		if s.killed.stop != nil { // otherwise nothing takes the place of what the step is left for
			ways++
		}
		way := s.m.choose(ways)
		if way == 0 {
			return
		}
		older = way == 2
	}
	s.also = append(s.also, why)
	if older {
		s.killed.met = 1 + len(s.also)
	}
}

func (s *fiber) number(i int) string { return s.where + strconv.Itoa(i) + "/" }

func (s *fiber) join(f *frame, total func() int) result {
	if !s.block(false, func() bool {
		if f.broken != nil {
			return true
		}
		for _, b := range f.branches {
			if b.pend.kind != gone {
				return false
			}
		}
		return true
	}) {
		return result{how: dropped}
	}
	if f.broken != nil {
		return *f.broken
	}
	value := total()
	f.branches = nil
	return result{value: value}
}
