package laws_test

import (
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
)

// guard is a mutex of the model.
type guard struct {
	m *model
	guardSpec
	holders []*claim
	queue   []*claim
}

// claim is what one step has to do with a guard.
type claim struct {
	s       *strand
	g       *guard
	granted bool
	again   bool // the strand was inside already
	sealed  bool // can't be granted any more
}

// section runs the inner steps of f inside its guard.
func (s *strand) section(f *frame, in int) result {
	n := f.op.n
	g := s.m.guards[n.guard]
	c := &claim{s: s, g: g}
	if !s.show(false, func() event { return event{what: eEnter, id: n.id, code: g.answer(c)} }) {
		return result{how: dropped}
	}
	act := s.m.acts
	answer := g.answer(c)
	if answer != inside && answer != queued {
		return result{how: failed, code: answer}
	}
	f.claim = c
	f.hook = &hook{event: func() event {
		if c.granted {
			return event{what: eLeave, id: n.id, act: act}
		}
		return event{what: eWithdraw, id: n.id, act: act}
	}, after: func() { g.end(c) }}
	if answer == inside {
		c.granted, c.again = true, g.holds(s)
		if !c.again {
			g.holders = append(g.holders, c)
		}
	} else {
		g.queue = append(g.queue, c)
		if !s.block(false, func() bool { return c.granted }) {
			return result{how: dropped}
		}
	}
	r := s.level(f.op.inner, in)
	if r.how != ok {
		return r // the hook leaves
	}
	if !s.show(false, func() event { return event{what: eLeave, id: n.id, act: act} }) {
		return result{how: dropped}
	}
	f.hook, f.claim = nil, nil
	g.end(c)
	return r
}

// answer is what the guard says to c.
func (g *guard) answer(c *claim) fault.Code {
	switch {
	case g.holds(c.s) || len(g.holders) < g.max:
		return inside
	case g.guardSpec.queue >= 0 && len(g.queue) >= g.guardSpec.queue:
		return fault.DefenseRejected
	case g.m.deadlocked(c):
		return "Deadlock"
	default:
		return queued
	}
}

func (g *guard) holds(s *strand) bool {
	return slices.ContainsFunc(g.holders, func(c *claim) bool { return c.s == s })
}

// end takes c out, and lets in the first that still waits.
func (g *guard) end(c *claim) {
	if c.again {
		return
	}
	same := func(o *claim) bool { return o == c }
	g.queue = slices.DeleteFunc(g.queue, same)
	g.holders = slices.DeleteFunc(g.holders, same)
	for len(g.holders) < g.max && len(g.queue) > 0 {
		first := g.queue[0]
		g.queue = g.queue[1:]
		if !first.sealed {
			first.granted = true
			g.holders = append(g.holders, first)
		}
	}
}

// deadlocked says whether the strand of c could never go on if it waited:
// assume that nobody can, and take out who can until nobody is left to.
func (m *model) deadlocked(c *claim) bool {
	waits := map[*strand]*guard{c.s: c.g}
	for _, g := range m.guards {
		for _, q := range g.queue {
			if !q.sealed && !q.granted {
				waits[q.s] = g
			}
		}
	}
	stuck := map[*strand]bool{}
	for _, s := range m.strands {
		stuck[s] = s.pend.kind != gone
	}
	goes := func(s *strand) bool {
		if g := waits[s]; g != nil {
			return slices.ContainsFunc(g.holders, func(h *claim) bool { return !stuck[h.s] })
		}
		for _, b := range m.strands {
			if b.parent == s && stuck[b] {
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
