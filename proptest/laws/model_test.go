package laws_test

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// model decides whether a program can give a trace. It interprets the program recursively, each parallel branch on its own
// coroutine, and stops where the order is open: before each event, and before moves without events that others can notice.
// There it looks at the next event of the trace, and tries the moves that can lead to it, one after the other.
//
// A way through the program is a list of choices. To try another one, the model interprets the program again from the start,
// so it needs no undo.
type model struct {
	p   *program
	ops []*op

	expected trace
	latest   map[event]int // the last position of each event in the trace
	cancels  map[int]bool  // bodies that cancel the run, by their numbers
	pos      int           // position of the next expected event
	now      time.Duration

	fibers []*fiber
	main   *fiber
	frames []*frame // those that ever had a timer
	waits  map[int]*wait
	acts   int
	counts map[int]int
	stale  bool // a body has kept the scope of a step that has ended
	guards []*guard
	cancel bool // a cancel was asked for and not delivered yet
	told   []string
	alarms []*alarm
	choose func(n int) int // chooses one of n ways to try

	waited    int // claims so far that have begun to wait for a place
	successes int // branches of races so far that have ended with the success of a step with an event
}

var errUnknown = errors.New("the model has given up")

// attempts bounds the search for one trace.
const attempts = 200

// accepts returns nil if it finds that the program can give the trace. If the program can't, the error says up to which event it
// can. After many attempts the error is errUnknown.
func accepts(p *program, t trace) error {
	ops := compile(p.plan)
	var choices, sizes []int
	deepest, stuck := -1, ""
	latest := map[event]int{}
	for i, e := range t {
		latest[e.timeless()] = i
	}
	bodies := map[int]bool{}
	p.bodies(func(b *body) { bodies[b.id] = b.way == cancels })
	for range attempts {
		path := choices
		taken := path[:0:0]
		sizes = sizes[:0]
		m := &model{p: p, ops: ops, expected: t, latest: latest, cancels: bodies, choose: func(n int) int {
			i := 0
			if len(taken) < len(path) {
				i = path[len(taken)]
			}
			taken = append(taken, i)
			sizes = append(sizes, n)
			return i
		}}
		ok := m.follow()
		if !ok && m.pos > deepest {
			deepest, stuck = m.pos, m.String()
		}
		m.stop()
		if ok {
			return nil
		}
		if choices = another(taken, sizes); choices == nil {
			return mismatch(t, deepest, stuck)
		}
	}
	return errUnknown
}

func another(taken, sizes []int) []int {
	for i := len(taken) - 1; i >= 0; i-- {
		if taken[i]+1 < sizes[i] {
			next := slices.Clone(taken[:i+1])
			next[i]++
			return next
		}
	}
	return nil
}

func mismatch(t trace, at int, stuck string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "the trace isn't one of the program; the model follows up to line %d:\n", at)
	for i, e := range t {
		mark := "  "
		if i == at {
			mark = "✗ "
		}
		fmt.Fprintf(&b, "%s%v\n", mark, e)
	}
	fmt.Fprintf(&b, "there the model has:\n%s", stuck)
	return fmt.Errorf("%s", b.String())
}

func (m *model) follow() bool {
	m.waits = map[int]*wait{}
	m.counts = map[int]int{}
	for _, g := range m.p.guards {
		m.guards = append(m.guards, &guard{m: m, guardSpec: g})
	}
	m.main = m.spawn(nil, nil, "", (*fiber).runMain)
	for m.pos < len(m.expected) {
		e := m.expected[m.pos]
		options := m.options(e)
		if len(options) == 0 {
			if !m.passTime(e.at) {
				return false
			}
			continue
		}
		pick := 0
		if len(options) > 1 {
			pick = m.choose(len(options))
		}
		options[pick]()
		m.wake()
		if m.dead() {
			return false
		}
	}
	return m.main.pend.kind == gone
}

// comes reports whether the trace has e later on.
func (m *model) comes(e event) bool {
	at, ok := m.latest[e.timeless()]
	return ok && at >= m.pos
}

// dead reports whether a fiber has to make a move whose event the trace doesn't have any more, which ends the attempt.
func (m *model) dead() bool {
	for _, s := range m.fibers {
		if s.pend.kind == shows && s.pend.firm && !m.comes(s.pend.event()) {
			return true
		}
	}
	return false
}

// options returns the moves that may lead to e, the likeliest first. A move with the event e usually needs no alternative:
// what could have come before it can also come after it.
func (m *model) options(e event) []func() {
	var all []func()
	do := func(s *fiber, shows bool) {
		all = append(all, func() {
			if shows {
				m.show(e)
			}
			s.resume(true)
		})
	}
	// another fiber may have been let in before or after
	only := e.what != eLeave && (!e.anywhere() || !m.another())
	first := m.succeeded()
	for _, s := range m.fibers {
		if !s.frozen && s.pend.kind == shows && s.pend.event() == e && (first == nil || e.what != eBody) {
			do(s, true)
			only = only && !s.adds && !s.again() && !s.sheltered() && (!e.begins() || !m.cancels[e.id] || !m.commits())
		}
	}
	if move := m.fromOutside(e); move != nil {
		all = append(all, move)
		only = only && !m.endsSheltered(e) && (e.what != eCancel || !m.commits())
	}
	if len(all) > 0 && only {
		return all
	}
	silent := slices.DeleteFunc(slices.Clone(m.fibers), func(s *fiber) bool {
		return s.frozen || s.pend.kind != silently && s.pend.kind != departs || s.due() && s != first || m.cancel && s.pend.unlessCancelled
	})
	slices.SortStableFunc(silent, func(a, b *fiber) int { return cmp.Compare(a.distance(e), b.distance(e)) })
	for _, s := range silent {
		do(s, false)
	}
	var kills []func()
	for _, f := range m.frames {
		if f.due() && f.deadline == m.now {
			kills = append(kills, f.expire)
		}
	}
	for _, g := range m.guards {
		if g.due() && g.ends == m.now {
			kills = append(kills, g.roll)
		}
	}
	for _, a := range m.alarms {
		if !a.off && a.at == m.now {
			kills = append(kills, a.fire)
		}
	}
	if m.cancel {
		kills = append(kills, func() {
			m.cancel = false
			m.main.kill(nil)
		})
	}
	switch e.what {
	case eHook, eWithdraw, eEnd:
		return append(kills, all...)
	default:
		return append(all, kills...)
	}
}

// another reports whether a fiber may be about to begin an iteration, attempt or element whose steps look like those of a
// fiber beside it.
func (m *model) another() bool {
	return slices.ContainsFunc(m.fibers, func(s *fiber) bool { return !s.frozen && (s.pend.kind == silently || s.pend.kind == departs) })
}

// commits reports whether the next moves can lead to the one by which a saga succeeds, which a cancel prevents. The saga may
// yet have to begin.
func (m *model) commits() bool { return m.p.hasSaga() && m.another() }

func (m *model) fromOutside(e event) func() {
	if e.at != m.now {
		return nil
	}
	switch e.what {
	case eCancel:
		return func() {
			m.show(e)
			m.cancel = m.main.pend.kind != gone
		}
	case eDone, eReady:
		w := m.waits[e.act]
		if w == nil || w.fired || w.what != e.what || w.deadline != 0 && w.deadline != m.now || e.what == eDone && w.open != e.ok {
			return nil
		}
		return func() {
			m.show(e)
			w.fire()
		}
	}
	return nil
}

// endsSheltered reports whether e ends a wait of a shielded part, whose grace may have ended right before.
func (m *model) endsSheltered(e event) bool {
	w := m.waits[e.act]
	return w != nil && w.frame != nil && w.frame.s.sheltered()
}

func (m *model) show(e event) {
	m.pos++
	if e.begins() {
		m.acts++
	}
}

// passTime moves the time towards at. It reports false if it doesn't, as when a fiber has a move to make first.
func (m *model) passTime(at time.Duration) bool {
	next := at + 1
	for _, s := range m.fibers {
		if !s.frozen && (s.pend.kind == shows || s.pend.kind == silently || s.pend.kind == departs) {
			return false
		}
	}
	for _, f := range m.frames {
		if f.due() {
			next = min(next, f.deadline)
		}
	}
	for _, g := range m.guards {
		if g.due() {
			next = min(next, g.ends)
		}
	}
	for _, a := range m.alarms {
		if !a.off {
			next = min(next, a.at)
		}
	}
	for _, w := range m.waits {
		if !w.fired && w.deadline > 0 {
			next = min(next, w.deadline)
		}
	}
	if e := m.expected[m.pos]; next > at && at > m.now && (e.what == eCancel || e.what == eDone) {
		next = at // caused by a timer of the loop that has no effect any more
	}
	if next <= m.now || next > at {
		return false
	}
	m.now = next
	return true
}

func (m *model) wake() {
	for again := true; again; {
		again = false
		for _, s := range m.fibers {
			if !s.frozen && s.pend.kind == blocked && s.pend.until() {
				s.resume(true)
				again = true
			}
		}
	}
}

func (m *model) spawn(parent *fiber, fork *frame, where string, run func(*fiber)) *fiber {
	s := &fiber{m: m, parent: parent, fork: fork, where: where}
	m.fibers = append(m.fibers, s)
	s.next, s.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if v := recover(); v != nil && v != errAborted {
				panic(v)
			}
		}()
		s.yield = yield
		run(s)
		s.pend = pending{kind: gone}
	})
	s.resume(true)
	return s
}

func (m *model) stop() {
	for _, s := range m.fibers {
		s.stop()
	}
}

func (m *model) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v, cancel %t\n", m.now, m.cancel)
	for i, s := range m.fibers {
		fmt.Fprintf(&b, "fiber %d %s %s frozen %t killed %t", i, s.where,
			[...]string{"shows", "silent", "departs", "blocked", "gone"}[s.pend.kind], s.frozen, s.killed != nil)
		if s.pend.kind == shows {
			fmt.Fprintf(&b, ": %v", s.pend.event())
		}
		b.WriteByte('\n')
	}
	return b.String()
}
