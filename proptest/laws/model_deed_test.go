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
	span   int  // of oCarry: the number of steps before it that it carries around
}

type opKind uint8

const (
	oPlain opKind = iota // as the kind of the node says
	oQuiet               // an internal step without events
	oGroup               // a step that holds inner
	oReady               // the goroutine after the body of await
	oLoop
	oRetry
	oCarry
)

// compile returns the steps of a stage. A handler around a single step without
// one is that step's handler; otherwise it is the handler of a step around all.
func compile(n *node) []*op {
	switch n.kind {
	case kChain:
		var all []*op
		for _, kid := range n.kids {
			all = append(all, compile(kid)...)
		}
		return all
	case kCatch:
		ops := compile(n.kids[0])
		if len(ops) == 1 && ops[0].h == nil && !ops[0].tries {
			ops[0].h = n.h
			return ops
		}
		return []*op{{kind: oGroup, n: n, inner: ops, h: n.h}}
	case kNamed:
		ops := compile(n.kids[0])
		if len(ops) == 1 {
			return ops
		}
		return []*op{{kind: oGroup, n: n, inner: ops}}
	case kCall:
		return []*op{{kind: oGroup, n: n, inner: compile(n.kids[0])}}
	case kTry:
		return []*op{{kind: oGroup, n: n, inner: compile(n.kids[0]), tries: true}, {kind: oQuiet, n: n}}
	case kGrace:
		return []*op{{kind: oGroup, n: n, inner: compile(n.kids[0]), graces: true}}
	case kCarry:
		ops := compile(n.kids[0])
		return append(ops, &op{kind: oCarry, n: n, span: len(ops)}, &op{kind: oQuiet, n: n})
	case kRace, kBracket, kUndo, kGraph:
		o := &op{n: n}
		for _, kid := range n.kids {
			o.kids = append(o.kids, compile(kid))
		}
		if n.kind == kRace && n.flav == raceSome {
			return []*op{o, {kind: oQuiet, n: n}}
		}
		return []*op{o}
	case kCopy:
		return append([]*op{{kind: oQuiet, n: n}}, compile(n.kids[0])...)
	case kAwait:
		return []*op{{n: n}, {kind: oReady, n: n}}
	case kPar:
		o := &op{n: n}
		for _, kid := range n.kids {
			o.kids = append(o.kids, compile(kid))
		}
		return []*op{o, {kind: oQuiet, n: n}}
	case kTasks:
		ops := []*op{{kind: oQuiet, n: n}, {n: n, inner: compile(n.kids[0])}}
		if n.flav == tasksFirst {
			return ops
		}
		return append(ops, &op{kind: oQuiet, n: n})
	case kEach:
		return []*op{{kind: oQuiet, n: n}, {n: n, inner: compile(n.kids[0])}, {kind: oQuiet, n: n}}
	case kList:
		return []*op{{kind: oQuiet, n: n}, {kind: oLoop, n: n, inner: compile(n.kids[0])}}
	case kRepeat, kLoop:
		return []*op{{kind: oLoop, n: n, inner: compile(n.kids[0])}}
	case kRetry:
		return []*op{{kind: oRetry, n: n, inner: compile(n.kids[0])}}
	case kLimit, kHook, kSync, kShield, kSaga:
		return []*op{{n: n, inner: compile(n.kids[0])}}
	default:
		return []*op{{n: n}}
	}
}

// perform executes the body of a step, with all its sub-steps.
func (s *fiber) perform(f *frame, in int) result {
	o, n := f.op, f.op.n
	switch o.kind {
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
		return s.await(f, n.body, in+n.body.id)
	}
	switch n.kind {
	case kMap:
		if _, did := s.begin(event{what: eBody, id: n.id, value: in, where: nowhere}); !did {
			return result{how: dropped}
		}
		return result{value: in + n.id}
	case kFunc, kNew, kAwait:
		act, did := s.begin(event{what: eBody, id: n.body.id, value: in})
		if !did {
			return result{how: dropped}
		}
		if n.kind == kAwait {
			s.act = act
			s.m.waits[act] = &wait{what: eReady, deadline: s.m.now + n.body.wait}
			return result{value: in}
		}
		r := s.deed(f, n.body, act, in+n.body.id, in, nil)
		if n.kind == kFunc && n.body.endsScope() {
			s.m.stale = true
		}
		return r
	case kValue:
		return s.quietly(n.n)
	case kLimit:
		f.arm(n.limit)
		return s.level(o.inner, in)
	case kHook:
		s.onLeave(f, event{what: eHook, id: n.id}, false)
		if f.hook != nil && !f.hook.seen {
			if f.hook = nil; !s.silent() { // left before it could set its hook
				return result{how: dropped}
			}
			s.onLeave(f, event{what: eHook, id: n.id}, false)
		}
		return s.level(o.inner, in)
	case kPar:
		return s.par(f, in)
	case kEach:
		return s.each(f, in)
	case kRace:
		return s.race(f, in)
	case kShield:
		return s.shield(f, in)
	case kGraph:
		return s.graph(f, in)
	case kTasks:
		return s.tasks(f, in)
	case kBracket:
		return s.bracket(f, in)
	case kSaga:
		return s.saga(f, in)
	case kUndo:
		return s.undo(f, in)
	default:
		return s.section(f, in)
	}
}

// quietly executes a step without events.
func (s *fiber) quietly(value int) result {
	if s.mayRunOut() && !s.silent() {
		return result{how: dropped}
	}
	return result{value: value}
}

// deed executes what a body, or a handler, does once it has begun.
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
		// It is left before it goes on after the failure. The result of a goroutine that returns late isn't taken.
		if fails && w.done && (w.what == eDone || s.m.choose(2) == 1) {
			s.also = append(s.also, b.failure())
		}
		return result{how: dropped}
	}
	f.wait = nil
	if fails {
		return failing(b.failure())
	}
	if s.m.fails() {
		s.do(pending{kind: silently, firm: true}) // the handler of the failure may answer at once, and that is first
	}
	return result{value: value}
}

// number returns the place of branch i of s.
func (s *fiber) number(i int) string { return s.where + strconv.Itoa(i) + "/" }

// par runs the branches of f. The result is the sum of theirs.
func (s *fiber) par(f *frame, in int) result {
	for i, ops := range f.op.kids {
		b := s.m.spawn(s, f, s.number(i), func(b *fiber) { b.branch(func() result { return b.level(ops, in) }) })
		f.branches = append(f.branches, b)
	}
	return s.join(f, func() int {
		total := 0
		for _, b := range f.branches {
			total += b.out.value
		}
		return total
	})
}

// each runs the elements of f on lanes; a lane takes one element after the other.
func (s *fiber) each(f *frame, in int) result {
	n := f.op.n
	next, total := 0, 0
	lane := func(b *fiber) {
		b.branch(func() result {
			for {
				if next == n.n {
					return result{}
				}
				b.where = s.number(next)
				next++
				r := b.level(f.op.inner, in+next-1)
				if r.how != ok {
					return r
				}
				total += r.value
			}
		})
	}
	for range min(n.n, n.bound) {
		f.branches = append(f.branches, s.m.spawn(s, f, s.where, lane))
	}
	return s.join(f, func() int { return total })
}

// join waits until the branches of f have ended, or one has failed.
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

// loop runs turn after turn.
func (s *fiber) loop(f *frame, in int) result {
	n := f.op.n
	carry := in
	if n.kind == kList {
		carry = 0
	}
	for i := 0; n.kind == kLoop || i < n.n; i++ {
		item := carry
		switch n.kind {
		case kRepeat:
			item += i
		case kList:
			item += in + i
		default:
			goes := func() bool { return s.m.counts[n.id] < n.n }
			if !s.show(false, func() event { return event{what: eTurn, id: n.id, value: item, ok: goes()} }) {
				return result{how: dropped}
			}
			again := goes()
			s.m.counts[n.id]++
			if !again {
				return result{value: carry}
			}
		}
		r := s.level(f.op.inner, item)
		switch {
		case r.how == ok:
			carry = r.value
		case r.how == signalled && r.sig.target == f:
			if len(s.also) > 0 && !s.silent() {
				return result{how: dropped}
			}
			s.tell()
			if r.sig.given {
				carry = r.sig.value
			}
			if !r.sig.again {
				return result{value: carry}
			}
		default:
			return r
		}
	}
	return result{value: carry}
}
