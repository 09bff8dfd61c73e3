package difftest_test

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/proptest/script"
)

// generator draws programs on which the two implementations must agree. It
// keeps away from what the format excludes, and from what is wrong in the
// JavaScript one:
//   - an error raised while branches are being started is lost, so each branch
//     waits first;
//   - a timeout is raised at the leaf, so there is no handler below one;
//   - a successStep without a step before it adds no step, and neither does a
//     loop without turns;
//   - what was cancelled stays in the queue of a guard, so queues aren't limited.
//
// It also keeps away from what is specified by neither: each time has a length of its own, because the order of what
// happens at one moment is free, and no branch waits without a limit for a mutex that a flow around it holds.
type generator struct {
	*rapid.T
	ids   int
	times int    // how many times have been drawn
	loops []loop // loops around the place, innermost last
	fuel  int    // how many more steps the method steps may draw
}

type loop struct {
	id    int
	label *string
}

// unit is what times are drawn in, in ticks. It is large, so that sums of different times hardly ever meet.
const unit = 1_000_000

// spot describes the place for which the generator draws.
type spot struct {
	depth int
	timed bool // below a timeout: no handlers
	last  bool // in a branch or a loop: gives no result

	holds  bool // the flow is in a section of the mutex
	starve bool // a flow around this one holds the mutex: a wait for it would last for ever
}

func programs(t *rapid.T) *script.Program {
	g := &generator{T: t, fuel: 25}
	p := &script.Program{Version: 1, Sync: map[string]script.Guard{
		"m": {Type: "mutex", Max: g.num("max", 1, 2)},
		"t": {Type: "throttle", Max: g.num("max", 1, 3), Period: g.ticks("period", 2, 4)},
	}}
	for range g.num("roots", 1, 3) {
		r := script.Root{Do: g.steps(spot{depth: 0}), At: g.ticks("at", 0, 3)}
		if g.chance("cancelled", 6) {
			at := r.At + g.ticks("cancel", 1, 8)
			r.Cancel = &at
		}
		p.Roots = append(p.Roots, r)
	}
	return p
}

func (g *generator) num(what string, from, to int) int {
	return rapid.IntRange(from, to).Draw(g.T, what)
}

// ticks draws a time in units. It adds a part of a unit, a different one for each time of a program, so that each ends at a moment
// of its own; shrinking keeps this part.
func (g *generator) ticks(what string, from, to int) int {
	g.times++
	part := rand.New(rand.NewPCG(uint64(g.times), 0)).IntN(unit)
	return g.num(what, from, to)*unit + part
}

// chance is true once in n times; shrinking makes it false.
func (g *generator) chance(what string, n int) bool { return g.num(what, 0, n-1) == n-1 }

func (g *generator) id() int {
	g.ids++
	return g.ids
}

// steps draws up to three steps in sequence, some with a successStep behind them.
func (g *generator) steps(s spot) script.Actions {
	var list script.Actions
	for range g.num("steps", 1, 3) {
		if g.fuel--; g.fuel < 0 {
			break
		}
		list = append(list, g.structure(s))
		if g.chance("successStep", 8) && !s.last {
			list = append(list, &script.SuccessStep{Args: g.args()})
		}
	}
	return list
}

func (g *generator) structure(s spot) script.Action {
	kind := g.num("kind", 0, 11)
	switch {
	case kind == 5 && s.depth < 4:
		return g.parallel(s)
	case kind == 6 && s.depth < 4:
		return g.loop(s)
	case kind >= 7 && kind <= 9: // often: flows have to meet at a guard
		return g.sync(s)
	case kind == 10:
		return g.await(s)
	default:
		return &script.Add{Step: g.step(s)}
	}
}

// sync draws a section of the mutex or the throttle. A branch of a flow that is in the mutex waits for it only below a
// timeout: the flow keeps it until its branches have ended.
func (g *generator) sync(s spot) script.Action {
	guards := []string{"m", "t"}
	if s.starve && !s.timed {
		guards = guards[1:]
	}
	guard := rapid.SampledFrom(guards).Draw(g.T, "guard")
	s.holds = s.holds || guard == "m"
	return &script.Sync{Obj: guard, Step: g.step(s)}
}

func (g *generator) step(s spot) *script.Step {
	st := &script.Step{ID: g.id()}
	caught := !s.timed && g.chance("caught", 3)
	if !caught {
		st.Do = g.body(s)
		return st
	}
	g.apart(func() { st.Do = g.body(s) })
	catch := g.handler(s)
	st.Catch = &catch
	return st
}

// apart calls draw for a place from which the format allows no break or continue of the loops around it: a branch, a handler,
// or the inside of a step that has a handler.
func (g *generator) apart(draw func()) {
	outer := g.loops
	g.loops = nil
	draw()
	g.loops = outer
}

// body draws what a step does: it observes, and then continues in one of several ways.
func (g *generator) body(s spot) script.Actions {
	list := g.observe(true)
	s.depth++
	switch g.num("body", 0, 10) {
	case 0:
		return list
	case 1, 2:
		if s.last {
			return list
		}
		return append(list, &script.Success{Args: g.args()})
	case 3:
		return append(list, g.wait(s)...)
	case 4:
		return append(list, g.fail())
	case 5, 10:
		if len(g.loops) == 0 {
			return list
		}
		return append(list, g.signal())
	case 6:
		if sub := g.steps(s); g.chance("violation", 3) {
			return append(append(list, sub...), &script.Success{})
		}
		return list
	case 7:
		s.timed = true
		list = append(list, &script.SetTimeout{Ticks: g.ticks("timeout", 1, 6)})
		return append(append(list, g.hook()...), g.waits(s)...)
	default:
		list = append(list, g.hook()...)
		return append(list, g.waits(s)...)
	}
}

// waits draws sub-steps, the first of which waits.
func (g *generator) waits(s spot) script.Actions {
	first := &script.Add{Step: &script.Step{ID: g.id(), Do: g.wait(s)}}
	return append(script.Actions{first}, g.steps(s)...)
}

// wait waits for something outside, perhaps with a hook or a limit.
func (g *generator) wait(s spot) script.Actions {
	w := &script.Wait{Ticks: g.ticks("wait", 1, 5)}
	switch {
	case g.chance("outside error", 4):
		code := g.code()
		w.Then = &script.Outcome{Error: &code}
	case g.chance("outside result", 3) && !s.last:
		args := g.args()
		w.Then = &script.Outcome{Success: &args}
	}
	list := append(script.Actions{w}, g.hook()...)
	if g.chance("limit", 4) {
		list = append(list, &script.SetTimeout{Ticks: g.ticks("timeout", 1, 6)})
	}
	return list
}

func (g *generator) hook() script.Actions {
	if !g.chance("hook", 2) {
		return nil
	}
	return script.Actions{&script.SetCancel{Do: g.observe(false)}}
}

func (g *generator) handler(s spot) (list script.Actions) {
	g.apart(func() { list = g.answer(s) })
	return list
}

func (g *generator) answer(s spot) script.Actions {
	list := g.observe(false)
	s.depth++
	switch g.num("handler", 0, 3) {
	case 1:
		return append(list, &script.Success{})
	case 2:
		return append(list, g.fail())
	case 3:
		return append(list, g.waits(s)...)
	default:
		return list
	}
}

func (g *generator) parallel(s spot) script.Action {
	p := &script.Parallel{ID: g.id()}
	caught := !s.timed && g.chance("caught", 3)
	branch := s
	branch.last = true
	branch.depth++
	branch.holds, branch.starve = false, s.holds || s.starve
	g.apart(func() {
		for range g.num("branches", 1, 3) {
			p.Branches = append(p.Branches, script.Step{ID: g.id(), Do: append(g.observe(false), g.waits(branch)...)})
		}
	})
	if caught {
		catch := g.handler(s)
		p.Catch = &catch
	}
	return p
}

// loop draws a loop of one to three turns.
func (g *generator) loop(s spot) script.Action {
	id := g.id()
	var label *string
	if g.chance("labelled", 2) {
		name := rapid.SampledFrom([]string{"A", "B"}).Draw(g.T, "label")
		label = &name
	}
	g.loops = append(g.loops, loop{id, label})
	defer func() { g.loops = g.loops[:len(g.loops)-1] }()
	s.last = true
	s.depth++
	turns := g.num("turns", 1, 3)
	switch g.num("loop", 0, 3) {
	case 0:
		return &script.Repeat{ID: id, Label: label, Count: turns, Do: g.turn(s)}
	case 1:
		return &script.ForEach{ID: id, Label: label, List: g.values(turns), Do: g.turn(s)}
	case 2:
		var pairs []script.Pair
		for i, v := range g.values(turns) {
			pairs = append(pairs, script.Pair{Key: string(rune('a' + i)), Value: v})
		}
		return &script.ForEach{ID: id, Label: label, Map: pairs, Do: g.turn(s)}
	default:
		stop := &script.If{
			Cond: script.Cond{Iter: &id, Cmp: "ge", N: turns},
			Then: script.Actions{&script.Break{}},
		}
		return &script.Loop{ID: id, Label: label, Do: append(script.Actions{stop}, g.turn(s)...)}
	}
}

func (g *generator) turn(s spot) script.Actions {
	list, sub := g.observe(false), g.steps(s)
	if len(sub) > 0 { // a step with a hook alone would wait for ever
		list = append(list, g.hook()...)
	}
	return append(list, sub...)
}

// signal draws a continue, or a break that happens from some turn on.
func (g *generator) signal() script.Action {
	l := g.loops[g.num("which", 0, len(g.loops)-1)]
	if l.label == nil {
		l = g.loops[len(g.loops)-1]
	}
	if g.chance("continue", 2) {
		return &script.Continue{Label: l.label} // counts the turns, so the loop ends
	}
	innermost := g.loops[len(g.loops)-1].id
	return &script.If{
		Cond: script.Cond{Iter: &innermost, Cmp: "ge", N: g.num("turn", 0, 2)},
		Then: script.Actions{&script.Break{Label: l.label}},
	}
}

func (g *generator) await(s spot) script.Action {
	a := &script.Await{ID: g.id(), Promise: script.Promise{Delay: g.ticks("delay", 1, 4)}}
	if g.chance("rejected", 2) {
		code := "PromE"
		a.Promise.Reject = &code
	} else {
		a.Promise.Resolve = script.Value{X: g.num("resolved", 0, 3)}
	}
	if !s.timed && g.chance("caught", 2) {
		catch := g.handler(s)
		a.Catch = &catch
	}
	return a
}

func (g *generator) observe(args bool) script.Actions {
	var list script.Actions
	for range g.num("observations", 0, 2) {
		switch g.num("observation", 0, 3) {
		case 0:
			list = append(list, &script.Time{})
		case 1:
			list = append(list, &script.Set{Key: "k", Value: g.values(1)[0]})
		case 2:
			list = append(list, &script.Get{Key: "k"})
		default:
			if args {
				list = append(list, &script.GetArgs{})
			}
		}
	}
	return list
}

func (g *generator) args() script.Args { return g.values(g.num("args", 0, 2)) }

func (g *generator) values(n int) []script.Value {
	list := make([]script.Value, n)
	for i := range list {
		list[i] = script.Value{X: g.num("value", 0, 9)}
	}
	return list
}

func (g *generator) code() string {
	return rapid.SampledFrom([]string{"One", "Two"}).Draw(g.T, "code")
}

func (g *generator) fail() script.Action {
	e := &script.Error{Code: g.code()}
	if g.chance("info", 2) {
		e.Info = "info"
	}
	return e
}
