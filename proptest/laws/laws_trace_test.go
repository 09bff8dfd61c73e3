package laws_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
)

// The laws in this file need no model. Each is checked on the traces of drawn programs, in the plain order and in another.

// traceLaw is a law about single traces. holds returns what is wrong with one, or "".
type traceLaw struct {
	number int // in docs/internals/laws.md
	holds  func(p *program, t trace) string
	shape  shape
}

var traceLaws = []traceLaw{
	{number: 1, holds: endsOnce},
	{number: 2, holds: nothingRunsAfterTheEnd},
	{number: 3, holds: timeGoesForward},
	{number: 4, holds: hooksRunAtMostOnce},
	{number: 5, holds: hooksOnlyWithoutSuccess},
	{number: 6, holds: cleanupsRunOnce},
	{number: 7, holds: cleanupsRunNewestFirst},
	{number: 8, holds: handlersAreAskedOnce},
	{number: 9, holds: completionsCountOnce},
	{number: 10, holds: lateCompletionsAreInert},
	{number: 11, holds: sectionsAreLeft},
	{number: 12, holds: sectionsExclude},
	{number: 13, holds: queuesAreBounded},
	{number: 14, holds: handlersSeeNoSignals},
	{number: 15, holds: cancelledRunsSaySo},
	{number: 50, holds: windowsBound, shape: shape{guarded: true}},
	{number: 51, holds: roomIsGiven, shape: shape{guarded: true}},
}

func TestTraceLaws(t *testing.T) {
	for _, law := range traceLaws {
		t.Run(fmt.Sprintf("law %d", law.number), rapid.MakeCheck(func(t *rapid.T) {
			p := programs(law.shape).Draw(t, "program")
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
	if !slices.IsSortedFunc(t, func(a, b event) int { return cmp.Compare(a.at, b.at) }) {
		return "time went back"
	}
	return ""
}

// hookKey identifies a hook. Those of flow.OnCancel have no activation, and differ by their place.
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

// If the hook of an activation was called, the step hasn't succeeded, except by the recovery of a handler: so its cleanups
// are called after the hook.
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
	p.bodies(func(b *body) { wanted[b.id] = b.resources.cleanups })
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

// A handler is called at most once for each execution of its steps; without loops, retries and undos that is once in each branch.
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
	p.plan.visit(func(n *node) {
		found = found || n.kind == kLoop || n.kind == kRepeat || n.kind == kList || n.kind == kRetry || n.kind == kUndo
	})
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

// A break or continue is no error: a program with no other cause of errors calls no handler.
func handlersSeeNoSignals(p *program, t trace) string {
	reason := len(p.guards) > 0
	p.plan.visit(func(n *node) { reason = reason || n.kind == kLimit || n.kind == kUndo || n.kind == kTasks })
	p.bodies(func(b *body) {
		switch b.way {
		case succeeds, enters, cancels, silent:
		case waits:
		case breaks, continues:
			reason = reason || b.label != 0 // its loop may be missing
		default:
			reason = true
		}
		reason = reason || b.resources.limit > 0 || b.resources.badClean > 0 || b.resources.hookBad
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

// signalsFindLoops reports whether each break and continue is inside of a loop.
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
