package laws_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Law 87, O4: where the turns of a run end makes no difference if nothing waits for the clock.
func TestO4TurnsDecideNothing(t *testing.T) {
	events := 0
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.OneOf(contests, programs(shape{quiet: true})).Draw(t, "program")
		p.cancel = -1 // a cancel would count callbacks, which depend on the turns
		whole, err := build(p).inTurns(outOfHand)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(whole, func(e event) bool { return e.at > 0 }) {
			return // two timers may be due at one moment, with a yield between them
		}
		events += len(whole)
		steps := rapid.IntRange(1, 120).Draw(t, "steps")
		wantInTurns(t, p, steps, whole)
	})
	if t.Logf("%d events", events); events == 0 {
		t.Error("no program without timers was drawn")
	}
}

// O4: a step without branches goes on at once, in the place of its fiber, also if a turn ends there. Here a race makes the run
// keep order, and two brackets beside it have arrived at the end of their acquires.
func TestO4ForkWithoutBranches(t *testing.T) {
	does := func() *node { return &node{kind: kMap} }
	of := func(k kind, kids ...*node) *node { return &node{kind: k, kids: kids} }
	bracket := func(use *node) *node { return of(kBracket, does(), use, does()) }
	none := &node{kind: kEach, n: 0, bound: 2, kids: []*node{does()}}
	p := &program{cancel: -1, plan: of(kPar, of(kPar, bracket(of(kRace, does())), bracket(none)), of(kPar, bracket(does())))}
	p.number()
	whole, err := build(p).inTurns(outOfHand)
	if err != nil {
		t.Fatal(err)
	}
	for steps := range 10 {
		wantInTurns(t, p, steps+1, whole)
	}
}

// wantInTurns checks that p in turns of so many steps gives the trace that it gives in one turn.
func wantInTurns(t rapid.TB, p *program, steps int, whole trace) {
	t.Helper()
	cut, err := build(p).inTurns(steps)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(whole, cut) {
		t.Errorf("%v\nin one turn:\n%v\nin turns of %d steps:\n%v", p, whole, steps, cut)
	}
}

// turning is a loop whose runs take a given number of steps in a turn.
type turning struct {
	*tooltest.Loop
	host *tool.Host
}

func (l turning) Host() *tool.Host { return l.host }

func (m *machine) inTurns(steps int) (trace, error) {
	m.home = func(loop *tooltest.Loop) tool.Tool {
		return turning{loop, tool.NewHost(tool.TurnLimits{Steps: steps}, tool.WithClock(loop.Now), tool.WithOnError(loop.Host().Report))}
	}
	return m.stepped(tooltest.New())
}
