package laws_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
)

// The laws of this file look at traces alone: they need no oracle. Each is
// checked on every trace of every program that is drawn, in the plain order and
// in another one.

// traceLaw says what is wrong with a trace; "" if nothing is.
type traceLaw struct {
	number int // in docs/laws.md
	holds  func(p *program, t trace) string
}

var traceLaws = []traceLaw{
	{1, endsOnce},
	{2, nothingRunsAfterTheEnd},
	{3, timeGoesForward},
	{4, hooksRunAtMostOnce},
	{5, hooksOnlyWithoutSuccess},
	{6, cleanupsRunOnce},
	{7, cleanupsRunNewestFirst},
	{8, handlersAreAskedOnce},
	{9, completionsCountOnce},
	{10, lateCompletionsAreInert},
	{11, sectionsAreLeft},
	{12, sectionsExclude},
	{13, queuesAreBounded},
	{14, handlersSeeNoSignals},
	{15, cancelledRunsSaySo},
}

func TestTraceLaws(t *testing.T) {
	for _, law := range traceLaws {
		t.Run(fmt.Sprintf("law %d", law.number), rapid.MakeCheck(func(t *rapid.T) {
			p := programs(shape{}).Draw(t, "program")
			m := build(p)
			plain, err := m.plain()
			if err != nil {
				t.Fatal(err)
			}
			other, s, err := m.under(schedules.Draw(t, "order"))
			if err != nil {
				t.Fatal(err)
			}
			for _, tr := range []trace{plain, other} {
				if wrong := law.holds(p, tr); wrong != "" {
					t.Fatalf("law %d: %s, in (schedule %v)\n%v", law.number, wrong, s, tr)
				}
			}
		}))
	}
}

func (t trace) count(pick func(e event) bool) (n int) {
	for _, e := range t {
		if pick(e) {
			n++
		}
	}
	return n
}

func endsOnce(_ *program, t trace) string {
	if n := t.count(func(e event) bool { return e.what == eEnd }); n != 1 {
		return fmt.Sprintf("the run ended %d times", n)
	}
	return ""
}

func nothingRunsAfterTheEnd(_ *program, t trace) string {
	at := slices.IndexFunc(t, func(e event) bool { return e.what == eEnd })
	for _, e := range t[at+1:] {
		if e.what != eDone && e.what != eReady {
			return fmt.Sprintf("after the end came %v", e)
		}
	}
	return ""
}

func timeGoesForward(_ *program, t trace) string {
	if !slices.IsSortedFunc(t, func(a, b event) int { return int(a.at - b.at) }) {
		return "time went back"
	}
	return ""
}

// hookKey tells hooks apart; those of flow.OnCancel by their place.
func hookKey(e event) event { return event{id: e.id, act: e.act, where: e.where} }

func hooksRunAtMostOnce(_ *program, t trace) string {
	seen := map[event]bool{}
	for _, e := range t {
		if e.what != eHook {
			continue
		}
		if seen[hookKey(e)] {
			return fmt.Sprintf("the hook was called again: %v", e)
		}
		seen[hookKey(e)] = true
	}
	return ""
}

// After the hook of an activation was called, no handler's recovery apart,
// the step hasn't succeeded by itself: its cleanups come after the hook.
func hooksOnlyWithoutSuccess(_ *program, t trace) string {
	cleaned := map[int]bool{}
	for _, e := range t {
		switch {
		case e.what == eCleanup:
			cleaned[e.act] = true
		case e.what == eHook && e.act > 0 && cleaned[e.act]:
			return fmt.Sprintf("the hook was called after the step's cleanups: %v", e)
		}
	}
	return ""
}

func cleanupsRunOnce(p *program, t trace) string {
	wanted := map[int]int{}
	p.bodies(func(b *body) { wanted[b.id] = b.gear.cleanups })
	ran := map[[2]int]int{}
	for _, e := range t {
		if e.what == eCleanup {
			ran[[2]int{e.act, e.value}]++
		}
	}
	for _, e := range t {
		if e.what != eBody && e.what != eHandler {
			continue
		}
		for i := 1; i <= wanted[e.id]; i++ {
			if n := ran[[2]int{e.act, i}]; n != 1 {
				return fmt.Sprintf("cleanup %d of %v ran %d times", i, e, n)
			}
		}
	}
	return ""
}

func cleanupsRunNewestFirst(_ *program, t trace) string {
	last := map[int]int{}
	for _, e := range t {
		if e.what != eCleanup {
			continue
		}
		if before, ok := last[e.act]; ok && before != e.value+1 {
			return fmt.Sprintf("cleanup %d came after %d: %v", e.value, before, e)
		}
		last[e.act] = e.value
	}
	return ""
}

// A handler is asked at most once for each execution of what it guards; without
// loops and elements that is once for each branch it stands in.
func handlersAreAskedOnce(p *program, t trace) string {
	if p.loops() {
		return ""
	}
	seen := map[event]bool{}
	for _, e := range t {
		if e.what != eHandler {
			continue
		}
		if seen[hookKey(event{id: e.id, where: e.where})] {
			return fmt.Sprintf("asked again: %v", e)
		}
		seen[hookKey(event{id: e.id, where: e.where})] = true
	}
	return ""
}

func (p *program) loops() (found bool) {
	p.plan.visit(func(n *node) { found = found || n.kind == kLoop || n.kind == kRepeat || n.kind == kList })
	return found
}

func completionsCountOnce(_ *program, t trace) string {
	seen := map[int]bool{}
	for _, e := range t {
		if e.what != eDone {
			continue
		}
		if seen[e.act] {
			return fmt.Sprintf("completed again: %v", e)
		}
		seen[e.act] = true
	}
	return ""
}

func lateCompletionsAreInert(_ *program, t trace) string {
	over := false
	left := map[int]bool{} // activations whose hook or cleanup has been called
	for _, e := range t {
		switch e.what {
		case eEnd:
			over = true
		case eHook, eCleanup:
			left[e.act] = true
		case eDone:
			if e.ok && (over || left[e.act]) {
				return fmt.Sprintf("a completion that came too late counted: %v", e)
			}
		}
	}
	return ""
}

// sectionsAreLeft: what was let in is left once, what was queued is left or
// withdrawn, once.
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

// Exclusion is told from who was let in at once and who was queued.
type section struct{ act, guard int }

// visits calls fn at each event with who is certainly inside of each guard (let
// in at once, without re-entries) and who was queued and has not gone.
func visits(p *program, t trace, fn func(e event, inside, queue []section) string) string {
	guards := map[int]int{}
	p.plan.visit(func(n *node) {
		if n.kind == kSync {
			guards[n.id] = n.guard
		}
	})
	var in, queue []section
	holders := map[string]int{} // places of a flow in a guard, to tell re-entries
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
			if n := of(in, g); n > spec.max {
				return fmt.Sprintf("%d are inside of guard %d at %v", n, g, e)
			}
		}
		return ""
	})
}

func queuesAreBounded(p *program, t trace) string {
	return visits(p, t, func(e event, _, queue []section) string {
		for g, spec := range p.guards {
			if spec.queue >= 0 && of(queue, g) > spec.queue+spec.max {
				return fmt.Sprintf("%d are queued for guard %d at %v", of(queue, g), g, e)
			}
		}
		return ""
	})
}

// A break or continue is no error: a program without any other reason to fail
// asks no handler.
func handlersSeeNoSignals(p *program, t trace) string {
	reason := len(p.guards) > 0
	p.plan.visit(func(n *node) { reason = reason || n.kind == kLimit })
	p.bodies(func(b *body) {
		switch b.way {
		case succeeds, enters, cancels, silent:
		case waits:
		case breaks, continues:
			reason = reason || b.label != 0 // the loop may be missing
		default:
			reason = true
		}
		reason = reason || b.gear.limit > 0 || b.gear.badClean > 0 || b.gear.hookBad
	})
	if reason || !p.signalsFindLoops() {
		return ""
	}
	for _, e := range t {
		if e.what == eHandler {
			return fmt.Sprintf("a handler was asked: %v", e)
		}
	}
	return ""
}

// signalsFindLoops says whether every break and continue stands in a loop.
func (p *program) signalsFindLoops() bool {
	var fine func(n *node, looped bool) bool
	body := func(b *body, looped bool) bool {
		return b == nil || (looped || b.way != breaks && b.way != continues) && (b.kid == nil || fine(b.kid, looped))
	}
	fine = func(n *node, looped bool) bool {
		inner := looped || n.kind == kLoop || n.kind == kRepeat || n.kind == kList
		for _, kid := range n.kids {
			if !fine(kid, inner) {
				return false
			}
		}
		return body(n.body, looped) && body(n.h, looped)
	}
	return fine(p.plan, false)
}

func cancelledRunsSaySo(p *program, t trace) string {
	asked := t.count(func(e event) bool { return e.what == eCancel }) > 0
	p.bodies(func(b *body) { asked = asked || b.way == cancels })
	if t.end().code == fault.Cancelled && !asked {
		return "the run says that it was cancelled, but nobody did"
	}
	return ""
}
