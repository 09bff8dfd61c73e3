package laws_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Law 85, O7, P6, P8, K5: law 39 for programs in which the order of successes decides which branch wins, which result
// comes first, and which effect is undone first. Several waits may be completed before the run gets a turn.
func TestSuccessesCountInTheirOrder(t *testing.T) {
	var v verdicts
	bursts := 0
	rapid.Check(t, func(t *rapid.T) {
		p := contests.Draw(t, "program")
		picks := rapid.SliceOfN(rapid.IntRange(0, 5), 20, 20).Draw(t, "picks")
		var with []tooltest.Option
		if rapid.Bool().Draw(t, "narrow") {
			with = append(with, tooltest.WithChooser(func(int) int { return 0 })) // a step a turn, first come, first served
		}
		tr, err := build(p).inBursts(tooltest.New(with...), picks)
		v.ask(t, p, tr, err)
		for i := range tr {
			if i > 0 && tr[i].what == eDone && tr[i-1].what == eDone {
				bursts++
			}
		}
	})
	v.close(t)
	if t.Logf("%d times several waits are completed at once", bursts); bursts < v.runs/4 {
		t.Error("that is too seldom")
	}
}

// inBursts runs the program. Before the loop runs, several waits may be completed: picks says which one, or that the loop
// goes on.
func (m *machine) inBursts(loop *tooltest.Loop, picks []int) (trace, error) {
	return m.run(loop, func(offer func() []explore.Action) error {
		for {
			actions := offer()
			pick := 0
			if len(picks) > 0 && len(actions) > 0 {
				pick, picks = picks[0], picks[1:]
			}
			switch done := pick < len(actions); {
			case len(actions) > 0 && (done || loop.Pending() == 0):
				actions[pick%len(actions)].Do()
			case loop.Pending() > 0:
				loop.Run()
			default:
				return nil
			}
		}
	})
}

// contests are programs of parallel steps whose branches mostly wait for completions from outside.
var contests = rapid.Custom(func(t *rapid.T) *program {
	g := &generator{t: t, shape: shape{quiet: true}}
	p := &program{plan: g.contest(0), cancel: max(-1, g.n("cancel", -20, 20))}
	p.number()
	return p
})

func (g *generator) contest(depth int) *node {
	n := &node{kind: []kind{kRace, kPar, kSaga, kTasks}[g.pick("contest", 6, 2, 4, 2)]}
	switch n.kind {
	case kRace:
		n.flav = g.n("race", raceFirst, raceSome)
	case kSaga:
		g.sagas++
		inner := g.contest(depth + 1)
		g.sagas--
		n.kids = []*node{{kind: kChain, kids: []*node{inner, g.item(depth + 3)}}}
		return n
	case kTasks:
		n.flav = g.n("tasks", tasksAll, tasksFirst)
		n.n, n.bound = g.n("elements", 1, 3), g.n("bound", 1, 3)
		n.kids = []*node{g.rival(depth + 1)}
		return n
	}
	for range g.n("kids", 2, 4) {
		n.kids = append(n.kids, g.rival(depth+1))
	}
	if n.kind == kRace && n.flav == raceSome {
		n.n = g.n("winners", 1, len(n.kids))
	}
	return n
}

func (g *generator) rival(depth int) *node {
	n := &node{kind: kChain}
	for range g.n("items", 1, 3) {
		n.kids = append(n.kids, g.item(depth))
	}
	return n
}

func (g *generator) item(depth int) *node {
	deep := or(depth > 3, 1)
	n := &node{kind: []kind{kNew, kMap, kFunc, kUndo, kShield, kNamed, kCatch, kLimit, kRace}[g.pick("item",
		10, 3, 1, or(g.sagas == 0, 5*deep), deep, deep, deep, deep, 2*deep)]}
	switch n.kind {
	case kNew:
		n.body = &body{way: []way{waits, waitsFail}[g.pick("end", 6, 1)], code: "Alpha"}
	case kFunc:
		n.body = &body{way: fails, code: "Beta"}
	case kUndo:
		n.kids = []*node{g.rival(depth + 1), {kind: kMap}}
	case kCatch:
		n.kids = []*node{g.rival(depth + 1)}
		n.h = &body{}
	case kShield, kNamed:
		n.kids = []*node{g.rival(depth + 1)}
	case kLimit:
		n.limit = g.duration("limit")
		n.kids = []*node{g.rival(depth + 1)}
	case kRace:
		return g.contest(depth + 1)
	}
	return n
}

// Law 89, K5, O6: law 39 for sagas cancelled by a body inside, often the last one: everything that they have done is undone.
func TestK5CancelledSagasAreUndone(t *testing.T) {
	var v verdicts
	cancelled := 0
	rapid.Check(t, func(t *rapid.T) {
		p := cancelledSagas.Draw(t, "program")
		tr, _, err := build(p).under(schedules.Draw(t, "order"))
		v.ask(t, p, tr, err)
		cancelled += tr.count(func(e event) bool { return e.what == eEnd && e.code == fault.Cancelled })
	})
	v.close(t)
	if t.Logf("%d runs are cancelled", cancelled); cancelled < v.runs/8 {
		t.Error("these are too few")
	}
}

var cancelledSagas = rapid.Custom(func(t *rapid.T) *program {
	g := &generator{t: t, shape: shape{quiet: true}, sagas: 1}
	in := &node{kind: kChain}
	for range g.n("effects", 1, 3) {
		in.kids = append(in.kids, &node{kind: kUndo, kids: []*node{g.rival(2), {kind: kMap}}})
	}
	in.kids = append(in.kids, g.canceller(0))
	if g.pick("ends", 2, 1) == 1 {
		in.kids = append(in.kids, g.item(2))
	}
	p := &program{plan: &node{kind: kChain, kids: []*node{{kind: kSaga, kids: []*node{in}}}}, cancel: -1}
	if g.pick("follows", 2, 1) == 1 {
		p.plan.kids = append(p.plan.kids, g.item(2))
	}
	p.number()
	return p
})

// canceller draws a step that cancels the run, or one around such a step.
func (g *generator) canceller(depth int) *node {
	cancels := &node{kind: kNew, body: &body{way: cancels}}
	deep := or(depth > 2, 1)
	switch n := (&node{kind: []kind{kNew, kUndo, kShield, kNamed, kCatch, kPar, kSaga}[g.pick("canceller", 4, 2*deep, deep, deep, deep, 2*deep, 2*deep)]}); n.kind {
	case kUndo:
		n.kids = []*node{g.canceller(depth + 1), {kind: kMap}}
		return n
	case kCatch:
		n.h = &body{}
		fallthrough
	case kShield, kNamed, kSaga:
		n.kids = []*node{g.canceller(depth + 1)}
		return n
	case kPar:
		n.kids = []*node{g.rival(depth + 2), g.canceller(depth + 1)}
		return n
	default:
		return cancels
	}
}
