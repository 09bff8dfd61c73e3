package laws_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// The laws in this file are about guards, and look at traces alone.

// sectionsAreLeft: a section that was let in is left once; one that was queued is left or withdrawn, once.
func sectionsAreLeft(_ *program, t trace) string {
	open := map[int]fault.Code{}
	for _, e := range t {
		switch e.what {
		case eEnter:
			if e.code == inside || e.code == queued {
				open[e.act] = e.code
			}
		case eLeave, eWithdraw:
			if code, ok := open[e.act]; !ok || e.what == eWithdraw && code == inside {
				return fmt.Sprintf("left what it is not in: %v", e)
			}
			delete(open, e.act)
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("never left: activations %v", open)
	}
	return ""
}

// section is an entry of an activation into a guard.
type section struct{ act, guard int }

// visits calls fn at each event of a guard with the sections that are certainly inside, because they were let in at once, without
// re-entries, and with those that were queued and haven't ended.
func visits(p *program, t trace, fn func(e event, inside, queue []section) string) string {
	guards := p.sections()
	var in, queue []section
	holders := map[string]int{} // how often a flow is in a guard, to recognise re-entries
	for _, e := range t {
		g, ok := guards[e.id]
		if !ok {
			continue
		}
		s := section{e.act, g}
		flow := fmt.Sprint(g, e.where)
		switch {
		case e.what == eEnter && e.code == inside:
			if holders[flow]++; holders[flow] == 1 {
				in = append(in, s)
			}
		case e.what == eEnter && e.code == queued:
			queue = append(queue, s)
			holders[flow]++
		case e.what == eLeave || e.what == eWithdraw:
			holders[flow]--
			same := func(o section) bool { return o == s }
			in, queue = slices.DeleteFunc(in, same), slices.DeleteFunc(queue, same)
		}
		if wrong := fn(e, in, queue); wrong != "" {
			return wrong
		}
	}
	return ""
}

// sections returns the guard of each syncx.Sync, by the number of its stage.
func (p *program) sections() map[int]int {
	guards := map[int]int{}
	p.plan.visit(func(n *node) {
		if n.kind == kSync {
			guards[n.id] = n.guard
		}
	})
	return guards
}

func of(all []section, guard int) (n int) {
	for _, s := range all {
		if s.guard == guard {
			n++
		}
	}
	return n
}

func sectionsExclude(p *program, t trace) string {
	return visits(p, t, func(e event, in, _ []section) string {
		for g, spec := range p.guards {
			if n := of(in, g); spec.counts() && n > spec.max {
				return fmt.Sprintf("%d are inside of guard %d at %v", n, g, e)
			}
		}
		return ""
	})
}

func queuesAreBounded(p *program, t trace) string {
	return visits(p, t, func(e event, _, queue []section) string {
		for g, spec := range p.guards {
			if spec.kind == gMutex && spec.queue >= 0 && of(queue, g) > spec.queue+spec.max {
				return fmt.Sprintf("%d are queued for guard %d at %v", of(queue, g), g, e)
			}
		}
		return ""
	})
}

// windowsBound: a stretch of time as long as a period touches at most two windows. It counts entries that were let in at
// once, because the trace has no other times, and in which a step has begun, because an unused entry is given back.
func windowsBound(p *program, t trace) string {
	guards := p.sections()
	entered := map[int][]time.Duration{} // by guard
	for i, e := range t {
		if e.what != eEnter || e.code != inside || !p.used(t, i) {
			continue
		}
		g := guards[e.id]
		entered[g] = append(entered[g], e.at)
		spec := p.guards[g]
		recent := 0
		for _, at := range entered[g] {
			if at > e.at-spec.period {
				recent++
			}
		}
		if spec.times() && recent > 2*spec.rate {
			return fmt.Sprintf("%d have entered guard %d in a period at %v", recent, g, e)
		}
	}
	return ""
}

// used reports whether a step has certainly begun in the section that event i enters. An event without a place may belong
// to another open section of the same stage.
func (p *program) used(t trace, i int) bool {
	entry := t[i]
	alone := t[:i].visitors(entry.id) == 0
	begun := false // somewhere in the stage
	for _, e := range t[i+1:] {
		switch {
		case e.what == eLeave && e.act == entry.act:
			return begun && alone
		case e.id == entry.id:
			alone = false
		case !e.begins() || !p.below(entry.id, e.id):
		case e.anywhere():
			begun = true
		case strings.HasPrefix(e.where, entry.where):
			return true
		}
	}
	return begun && alone
}

// visitors returns how many sections of stage id are open or queued at the end.
func (t trace) visitors(id int) (n int) {
	for _, e := range t {
		switch {
		case e.id != id:
		case e.what == eEnter && (e.code == inside || e.code == queued):
			n++
		case e.what == eLeave || e.what == eWithdraw:
			n--
		}
	}
	return n
}

// below reports whether the stage or body id is inside of the stage top.
func (p *program) below(top, id int) (found bool) {
	p.plan.visit(func(n *node) { found = found || n.id == top && top < id && id <= n.last })
	return found
}

type visit struct {
	again  bool // the flow was inside already
	queued bool
	asked  time.Duration
	open   bool
	left   time.Duration // when it was left; below zero if it is open or wasn't let in
}

// roomIsGiven: if a flow is rejected at once, the places and their queue are full, or the entries of this period and the
// queue for the next one.
func roomIsGiven(p *program, t trace) string {
	guards := p.sections()
	visits := map[int]*visit{}         // by activation
	within := map[int][]*visit{}       // by guard
	flows := map[string]map[int]bool{} // activations, by flow and guard
	for _, e := range t {
		g, ok := guards[e.id]
		if !ok {
			continue
		}
		flow := fmt.Sprint(g, e.where)
		if flows[flow] == nil {
			flows[flow] = map[int]bool{}
		}
		again := len(flows[flow]) > 0
		switch {
		case e.what != eEnter:
			delete(flows[flow], e.act)
			v := visits[e.act]
			if v.open = false; e.what == eLeave {
				v.left = e.at
			}
		case e.code == inside || e.code == queued:
			v := &visit{again: again, queued: e.code == queued, asked: e.at, open: true, left: -1}
			visits[e.act], within[g], flows[flow][e.act] = v, append(within[g], v), true
		case e.code == fault.DefenseRejected && p.guards[g].hasRoom(within[g], again, e.at):
			return fmt.Sprintf("rejected although there is room: %v", e)
		}
	}
	return ""
}

func (g guardSpec) hasRoom(visits []*visit, again bool, now time.Duration) bool {
	places, entries := 0, 0 // taken or waited for
	for _, v := range visits {
		if v.open && !v.again {
			places++
		}
		if !v.queued && v.asked > now-g.period || v.queued && (v.open || v.left > now-g.period) {
			entries++
		}
	}
	noPlace := g.counts() && !again && g.queue >= 0 && places >= g.max+g.queue
	noEntry := g.times() && g.burst >= 0 && entries >= g.rate+g.burst
	return !noPlace && !noEntry
}
