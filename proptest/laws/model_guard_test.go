package laws_test

import (
	"cmp"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// guard is the model of a guard. A mutex has a number of places, a throttle a number of entries in each window. A limiter has
// both: a claim needs a place first, and then an entry.
type guard struct {
	m *model
	guardSpec
	holders []*claim // claims that have a place
	queue   []*claim // claims that wait for a place

	entered int // entries in the window
	windows int // windows so far
	open    bool
	ends    time.Duration // end of the window
	line    []*claim      // claims that wait for the next window
}

// claim is one entry of a step into a guard.
type claim struct {
	s       *fiber
	g       *guard
	granted bool
	refused fault.Code // the error, if it was queued and then refused
	since   int        // the number of its wait for a place
	again   bool       // a re-entry
	sealed  bool       // it isn't granted, because its step is to be left
	window  int        // the window in which it was granted
	first   *op        // first step of the section; nil if there is none
	inside  bool       // the fiber knows that it is let in
	begun   bool       // a step of the section has certainly begun
}

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
		if !s.silent() { // left before it learns of the refusal
			return result{how: dropped}
		}
		return g.rejection(c, c.refused)
	}
	c.inside = true
	r := s.level(f.op.inner, in)
	if r.how != ok {
		return r // ended by the hook
	}
	if !s.show(false, func() event { return event{what: eLeave, id: n.id, act: act} }) {
		return result{how: dropped}
	}
	f.hook, f.claim = nil, nil
	c.begun = true
	g.end(c)
	return r
}

func (g *guard) rejection(c *claim, code fault.Code) result {
	if code == "Deadlock" {
		return failing(failure{code: code})
	}
	if g.kind == gMutex || g.kind == gLimiter && c.refused == "" && !g.hasPlace(c) {
		return failing(failure{code: code, info: "Mutex queue limit"})
	}
	return failing(failure{code: code, info: "Throttle queue limit"})
}

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

// ask records the guard's answer to c.
func (g *guard) ask(c *claim, answer fault.Code) {
	place := g.hasPlace(c)
	if !place {
		if answer == queued {
			g.queue = append(g.queue, c)
			g.m.waited++
			c.since = g.m.waited
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

func (g *guard) hasPlace(c *claim) bool {
	return !g.counts() || g.holds(c.s) || len(g.holders) < g.max
}

func (g *guard) holds(s *fiber) bool {
	return slices.ContainsFunc(g.holders, func(c *claim) bool { return c.s == s.flow() })
}

// flow returns the fiber that guards see for s: a shielded part isn't a flow of its own.
func (s *fiber) flow() *fiber {
	for s.fork != nil && s.fork.shield != nil {
		s = s.parent
	}
	return s
}

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

// pass gives c a place that it has waited for. It reports false if c doesn't need the place.
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
	if c.sealed || c.refused != "" {
		return false
	}
	c.granted, c.window = true, g.windows
	g.entered++
	return true
}

// unused reports whether c was cancelled before a step of its section had begun. For a step without an event that is open.
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

// shows reports whether the step is a body, whose beginning is an event.
func (o *op) shows() bool {
	return o.kind == oPlain && (o.n.kind == kMap || o.n.kind == kFunc || o.n.kind == kNew || o.n.kind == kAwait)
}

// reuse gives the entry of c to the next claim in the same window. That claim may be about to be cancelled by a sibling's
// error, which waits until nothing is in transit (O7).
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

// late reports whether a cancel of c may not have reached it yet.
func (c *claim) late() bool { return c.s.killed != nil }

// admit lets in claims that wait for the window, as many as fit.
func (g *guard) admit() {
	for len(g.line) > 0 && g.entered < g.rate {
		first := g.line[0]
		g.line = g.line[1:]
		g.grant(first)
	}
}

// window returns how many will have entered and how many will wait after a call of roll.
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

// roll begins the next window if it is time: at the end of the last one if a claim waits, otherwise now.
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

// due reports whether a claim waits for the end of the window, which takes a timer.
func (g *guard) due() bool { return len(g.line) > 0 }

func (m *model) deadlocked(c *claim) bool { return m.stuck(map[*fiber]*guard{c.s: c.g})[c.s] }

// stuck returns the fibers that can't ever go on. It adds queued claims to waits, which holds further fibers that wait
// for a place. It assumes that no fiber can go on, and takes out those that can until none is left. Fibers that wait for
// time can go on.
func (m *model) stuck(waits map[*fiber]*guard) map[*fiber]bool {
	for _, g := range m.guards {
		for _, q := range g.queue {
			if q.waits() {
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
			if b.parent == s && stuck[b] && (b.fork.contest == nil || !m.decides(b.fork, stuck)) {
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
	return stuck
}

func (c *claim) waits() bool { return !c.sealed && !c.granted && c.refused == "" }

// decides reports whether a branch of the race of f can go on or may yet begin.
func (m *model) decides(f *frame, stuck map[*fiber]bool) bool {
	if f.contest.begins != nil && f.contest.begins() {
		return true
	}
	return slices.ContainsFunc(m.fibers, func(b *fiber) bool { return b.fork == f && b.pend.kind != gone && !stuck[b] })
}

// rescue refuses claims of branches of the race of f if no branch can go on or may yet begin: the claim that began to wait last,
// and then others whose branches still can't go on.
func (m *model) rescue(f *frame) {
	if m.decides(f, m.stuck(map[*fiber]*guard{})) {
		return
	}
	var waiting []*claim
	for _, g := range m.guards {
		for _, q := range g.queue {
			if q.waits() && q.s.partOf(f) {
				waiting = append(waiting, q)
			}
		}
	}
	slices.SortFunc(waiting, func(a, b *claim) int { return cmp.Compare(b.since, a.since) })
	for _, q := range waiting {
		if m.stuck(map[*fiber]*guard{})[q.s] {
			q.refused = "Deadlock"
		}
	}
}

func (s *fiber) partOf(f *frame) bool {
	for ; s != nil; s = s.parent {
		if s.fork == f {
			return true
		}
	}
	return false
}
