package laws_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// guard is a guard of the model: a number of places, then a number of entries
// in each window of time; a mutex has the one, a throttle the other, a limiter
// both.
type guard struct {
	m *model
	guardSpec
	holders []*claim // of places
	queue   []*claim // for a place

	entered int // in the window
	windows int // that have been opened
	open    bool
	ends    time.Duration // of the window
	line    []*claim      // for the next window
}

// claim is what one step has to do with a guard.
type claim struct {
	s       *fiber
	g       *guard
	granted bool
	refused fault.Code // after it was queued
	again   bool       // the fiber has a place already
	sealed  bool       // can't be granted any more
	window  int        // that it was granted in
	first   *op        // of the section; nil if it is empty
	inside  bool       // the fiber has noticed that it was let in
	begun   bool       // a step of the section has, for certain
}

// section runs the inner steps of f inside its guard.
func (s *fiber) section(f *frame, in int) result {
	n := f.op.n
	g := s.m.guards[n.guard]
	c := &claim{s: s.flow(), g: g}
	if len(f.op.inner) > 0 {
		c.first = f.op.inner[0]
	}
	if !s.show(false, func() event { return event{what: eEnter, id: n.id, code: g.answer(c)} }) {
		return result{how: dropped}
	}
	act := s.m.acts
	answer := g.answer(c)
	g.ask(c, answer)
	if answer != inside && answer != queued {
		return g.rejection(c, answer)
	}
	f.claim = c
	f.hook = &hook{event: func() event {
		if c.granted {
			return event{what: eLeave, id: n.id, act: act}
		}
		return event{what: eWithdraw, id: n.id, act: act}
	}, after: func() { g.end(c) }}
	if answer == queued && !s.block(false, func() bool { return c.granted || c.refused != "" }) {
		return result{how: dropped}
	}
	if c.refused != "" {
		if !s.silent() { // left before it has heard of that
			return result{how: dropped}
		}
		return g.rejection(c, c.refused)
	}
	c.inside = true
	r := s.level(f.op.inner, in)
	if r.how != ok {
		return r // the hook leaves
	}
	if !s.show(false, func() event { return event{what: eLeave, id: n.id, act: act} }) {
		return result{how: dropped}
	}
	f.hook, f.claim = nil, nil
	c.begun = true
	g.end(c)
	return r
}

// rejection is how a step ends that isn't let in.
func (g *guard) rejection(c *claim, code fault.Code) result {
	if code == "Deadlock" {
		return failing(failure{code: code})
	}
	what, may := [...]string{"mutex", "throttle", "limiter: rate"}[g.kind], g.burst
	switch {
	case g.kind == gMutex:
		may = g.guardSpec.queue
	case g.kind == gLimiter && c.refused == "" && !g.hasPlace(c):
		what, may = "limiter: concurrent", g.guardSpec.queue
	}
	return failing(failure{code: code, info: fmt.Sprintf("%s: the queue is full, %d may wait", what, may)})
}

// answer is what the guard says to c.
func (g *guard) answer(c *claim) fault.Code {
	if !g.hasPlace(c) {
		switch {
		case g.guardSpec.queue >= 0 && len(g.queue) >= g.guardSpec.queue:
			return fault.DefenseRejected
		case g.m.deadlocked(c):
			return "Deadlock"
		default:
			return queued
		}
	}
	if !g.times() {
		return inside
	}
	entered, waiting := g.window()
	switch {
	case entered < g.rate:
		return inside
	case g.burst >= 0 && waiting >= g.burst:
		return fault.DefenseRejected
	default:
		return queued
	}
}

// ask is what the answer to c does to the guard.
func (g *guard) ask(c *claim, answer fault.Code) {
	place := g.hasPlace(c)
	if !place {
		if answer == queued {
			g.queue = append(g.queue, c)
		}
		return
	}
	if g.times() {
		g.roll()
	}
	if answer != inside && answer != queued {
		return
	}
	if c.again = g.holds(c.s); g.counts() && !c.again {
		g.holders = append(g.holders, c)
	}
	if answer == queued {
		g.line = append(g.line, c)
		return
	}
	c.granted, c.window = true, g.windows
	g.entered++
}

// hasPlace says whether places don't keep c out.
func (g *guard) hasPlace(c *claim) bool {
	return !g.counts() || g.holds(c.s) || len(g.holders) < g.max
}

func (g *guard) holds(s *fiber) bool {
	return slices.ContainsFunc(g.holders, func(c *claim) bool { return c.s == s.flow() })
}

// flow is the fiber that guards take s for: what is shielded is no flow of its own.
func (s *fiber) flow() *fiber {
	for s.fork != nil && s.fork.shield != nil {
		s = s.parent
	}
	return s
}

// end takes c out, and gives free places to the first that still wait.
func (g *guard) end(c *claim) {
	same := func(o *claim) bool { return o == c }
	g.line = slices.DeleteFunc(g.line, same)
	if c.granted && g.times() && g.m.unused(c) {
		g.reuse(c)
	}
	if c.again {
		return
	}
	g.queue = slices.DeleteFunc(g.queue, same)
	g.holders = slices.DeleteFunc(g.holders, same)
	for len(g.holders) < g.max && len(g.queue) > 0 {
		first := g.queue[0]
		g.queue = g.queue[1:]
		if g.pass(first) {
			g.holders = append(g.holders, first)
		}
	}
}

// pass lets c, which has waited for a place, take it. It reports false if c
// needs none.
func (g *guard) pass(c *claim) bool {
	if g.times() {
		g.roll()
		switch {
		case g.entered < g.rate:
		case g.burst >= 0 && len(g.line) >= g.burst:
			c.refused = fault.DefenseRejected
			return false
		default:
			g.line = append(g.line, c)
			return true
		}
	}
	return g.grant(c)
}

func (g *guard) grant(c *claim) bool {
	if c.sealed {
		return false
	}
	c.granted, c.window = true, g.windows
	g.entered++
	return true
}

// unused says whether c was cancelled before a step of its section had begun. What
// shows nothing when it begins may have begun or not.
func (m *model) unused(c *claim) bool {
	switch {
	case c.begun:
		return false
	case !c.inside, c.first != nil && c.first.shows():
		return true
	default:
		return m.choose(2) == 1
	}
}

// shows says whether the step shows that it begins.
func (o *op) shows() bool {
	return o.kind == oPlain && (o.n.kind == kMap || o.n.kind == kFunc || o.n.kind == kNew || o.n.kind == kAwait)
}

// reuse gives the entry of c to the next one in the same window. What that has in
// the way, the error of a sibling, may be put off until nothing is in transit, so
// the next one may be let in though it is about to be cancelled (O7).
func (g *guard) reuse(c *claim) {
	if len(g.line) > 0 {
		g.roll()
	}
	if c.window != g.windows {
		return
	}
	g.entered--
	for _, o := range g.line {
		o.sealed = o.sealed && (!o.late() || g.m.choose(2) == 0)
	}
	g.admit()
}

// late says whether what cancels c may not have reached it yet.
func (c *claim) late() bool { return c.s.killed != nil }

// admit lets in who waits for the window, as far as it goes.
func (g *guard) admit() {
	for len(g.line) > 0 && g.entered < g.rate {
		first := g.line[0]
		g.line = g.line[1:]
		g.grant(first)
	}
}

// window is how many have entered, and how many wait, once roll was called.
func (g *guard) window() (entered, waiting int) {
	if g.open && g.m.now < g.ends {
		return g.entered, len(g.line)
	}
	line := g.line
	for ; len(line) > 0 && entered < g.rate; line = line[1:] {
		if !line[0].sealed {
			entered++
		}
	}
	return entered, len(line)
}

// roll begins the next window if it is time: on the last one, if somebody waits
// for it, otherwise now.
func (g *guard) roll() {
	if g.open && g.m.now < g.ends {
		return
	}
	if len(g.line) == 0 {
		g.ends = g.m.now
	}
	g.open, g.entered = true, 0
	g.windows++
	g.ends += g.period
	g.admit()
}

// due says whether somebody waits for the end of the window, so a timer does.
func (g *guard) due() bool { return len(g.line) > 0 }

// deadlocked says whether the fiber of c could never go on if it waited for a
// place: assume that nobody can, and take out who can until nobody is left to.
// Who waits for time can.
func (m *model) deadlocked(c *claim) bool {
	waits := map[*fiber]*guard{c.s: c.g}
	for _, g := range m.guards {
		for _, q := range g.queue {
			if !q.sealed && !q.granted {
				waits[q.s] = g
			}
		}
	}
	stuck := map[*fiber]bool{}
	for _, s := range m.fibers {
		stuck[s] = s.pend.kind != gone
	}
	goes := func(s *fiber) bool {
		if g := waits[s]; g != nil {
			return slices.ContainsFunc(g.holders, func(h *claim) bool { return !stuck[h.s] })
		}
		for _, b := range m.fibers {
			if b.parent == s && b.fork.contest == nil && stuck[b] {
				return false
			}
		}
		return true
	}
	for changed := true; changed; {
		changed = false
		for s, is := range stuck {
			if is && goes(s) {
				stuck[s], changed = false, true
			}
		}
	}
	return stuck[c.s]
}
