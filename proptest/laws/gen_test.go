package laws_test

import (
	"math/bits"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// shape selects which programs are drawn. The zero shape draws every construct that the model knows, except step.Await and
// flow.Linger. In loops, retries and undos there is no flow.OnCancel: the hook of a body has the same effect there, and its events can be told apart. In
// retries and undos there are no guards: the model doesn't know whether an entry that is let in and cancelled at the same moment
// counts, and the next attempt would show it.
type shape struct {
	size   int  // largest number of stages, roughly; 0: a default
	await  bool // goroutines as well
	quiet  bool // less misuse, no panics in bodies, hooks and cleanups
	serial bool // nothing parallel, no completion from outside, no cancel unless the run would wait for ever

	guarded     bool // more guards and branches
	unguarded   bool // no guards
	unsignalled bool // no bodies that break or continue, which could reach out of a part
}

const defaultSize = 60

// generator draws one program. rapid shrinks choices towards 0, so the simplest of each kind has the number 0.
type generator struct {
	t *rapid.T
	shape
	left   int // how many more stages are to be drawn, roughly
	loops  int // loops around the stage
	tried  int // retries and undos around the stage
	sagas  int // sagas around the stage
	gets   int // acquires, and what an Undo does, around the stage
	tasked int // groups of tasks around the stage
	labels []int
	guards int
}

func programs(sh shape) *rapid.Generator[*program] {
	return rapid.Custom(func(t *rapid.T) *program {
		if sh.size == 0 {
			sh.size = defaultSize
		}
		g := &generator{t: t, shape: sh}
		g.left = g.n("size", 1, sh.size)
		p := &program{cancel: -1}
		for range max(g.pick("guards", 5, 3, 2), or(!sh.guarded, 2)) {
			if !sh.unguarded {
				p.guards = append(p.guards, g.guard())
			}
		}
		g.guards = len(p.guards)
		p.plan = g.stage(0)
		p.input = g.n("input", 0, 3)
		if !sh.serial {
			p.cancel = g.pick("cancel", 12, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1) - 1
			if p.cancel > 2 {
				p.cancel *= 2
			}
		}
		p.number()
		return p
	})
}

func (g *generator) pick(what string, weights ...int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	lot := even(total).Draw(g.t, what)
	for i, w := range weights {
		if lot -= w; lot < 0 {
			return i
		}
	}
	return 0
}

// even returns a generator of numbers below n that are about equally likely. The integers of rapid prefer small numbers, which
// would make small programs.
func even(n int) *rapid.Generator[int] {
	return rapid.Custom(func(t *rapid.T) int {
		digits := bits.Len(uint(n)) + 2
		drawn := 0
		for range digits {
			drawn <<= 1
			if coin.Draw(t, "bit") {
				drawn |= 1
			}
		}
		return drawn * n >> digits
	})
}

var coin = rapid.Bool()

func (g *generator) bool(what string, of int) bool { return g.pick(what, of-1, 1) == 1 }

func (g *generator) duration(what string) time.Duration {
	return time.Duration(g.n(what, 1, 4)) * time.Millisecond
}

func (g *generator) code() fault.Code {
	return []fault.Code{"Alpha", "Beta", fault.CommError}[g.n("code", 0, 2)]
}

func (g *generator) n(what string, least, most int) int {
	return least + even(most-least+1).Draw(g.t, what)
}

// crowd draws most elements or fewer. Sometimes it draws a third of most or more, so that they get in each other's way.
func crowd[T any](t *rapid.T, of *rapid.Generator[T], most int) []T {
	least := rapid.SampledFrom([]int{0, most / 3}).Draw(t, "least")
	return rapid.SliceOfN(of, least, most).Draw(t, "crowd")
}

// or returns the weight w, or 0 for what is excluded.
func or(excluded bool, w int) int {
	if excluded {
		return 0
	}
	return w
}

func (g *generator) stage(depth int) *node {
	g.left--
	inner := 6
	if g.left <= 0 || depth > 7 {
		inner = 0
	}
	leaf := 1
	switch {
	case g.left < 4 || depth > 2:
		leaf = 3
	case depth == 0:
		leaf = 0
	}
	n := &node{}
	at := place{leaf: leaf, inner: inner, fork: or(g.serial, inner), sync: or(g.guards == 0 || g.tried > 0, inner/2)}
	if g.guarded {
		at.fork = 2 * inner
	}
	if g.guarded && g.tried == 0 {
		at.sync = 4 * inner
	}
	weights := make([]int, len(constructs))
	for k, c := range constructs {
		if c.weight != nil {
			weights[k] = c.weight(g, at)
		}
	}
	n.kind = kind(g.pick("stage", weights...))
	n.construct().draw(g, n, depth)
	return n
}

// place holds the weights of kinds at some place of a plan: without stages inside, with some, with branches, and guards.
type place struct{ leaf, inner, fork, sync int }

func (g *generator) inside(n *node, depth int) { n.kids = []*node{g.stage(depth + 1)} }

func (g *generator) several(n *node, depth, least, most int) {
	for range g.n("kids", least, most) {
		n.kids = append(n.kids, g.stage(depth+1))
	}
}

func (g *generator) body(plain bool, depth int) *body {
	b := &body{}
	never := or(plain, 1)
	in := or(plain || g.loops == 0 || g.unsignalled, 1)
	misuse := or(g.quiet, 1)
	b.way = []way{
		succeeds, fails, panics, silent, enters, waits, waitsFail, breaks, continues,
		failsNil, usesStale, finishTwice, unwinds, cancels, addsTask,
	}[g.pick("way",
		24, 5, misuse, 2*never, or(g.left <= 0, 6*never), 10*never, 3*never, or(g.unsignalled, never*misuse)+5*in, 5*in,
		misuse*never, misuse, misuse*never, misuse*never, or(g.serial, 1), or(g.serial || g.quiet && g.tasked == 0, misuse+or(g.tasked == 0, 8)))]
	g.fill(b, depth)
	return b
}

func (g *generator) handler(depth int) *body {
	b := &body{}
	in := or(g.loops == 0 || g.unsignalled, 1)
	misuse := or(g.quiet, 1)
	b.way = []way{
		succeeds, fails, silent, unwinds, rethrows, enters, waits, waitsFail, panics, breaks, continues, usesStale, finishTwice, failsNil,
	}[g.pick("answer",
		10, 4, 2, 2, 1, or(g.left <= 0, 6), 3, 2, misuse, 2*in, 2*in, misuse, misuse, misuse)]
	g.fill(b, depth)
	return b
}

func (g *generator) fill(b *body, depth int) {
	switch b.way {
	case fails, waitsFail:
		b.code = g.code()
	case enters:
		b.kid = g.stage(depth + 1)
	case addsTask:
		b.n, b.label = g.n("times", 1, 3), g.n("group", 0, 1)
	case breaks, continues:
		b.n = g.n("times", 1, 2)
		if g.bool("to a label", 2) {
			b.label = g.n("label", 1, 3)
		}
	}
	if b.way == waits || b.way == waitsFail {
		if g.serial || !g.bool("outside", 4) {
			b.wait = g.duration("wait")
		}
	}
	if !g.bool("resources", 3) {
		return
	}
	if g.bool("limit", 2) {
		b.resources.limit = g.duration("limit")
	}
	b.resources.hook = g.bool("hook", 2)
	b.resources.cleanups = g.n("cleanups", 0, 2)
	if !g.quiet {
		b.resources.hookBad = b.resources.hook && g.bool("bad hook", 6)
		if g.bool("bad cleanup", 6) {
			b.resources.badClean = g.n("which", 0, b.resources.cleanups)
		}
	}
}

// schedules are drawn before a run, because during the run the machine would recover the panic by which rapid gives up
// a case.
var schedules = rapid.Custom(func(t *rapid.T) explore.Schedule {
	most := rapid.SampledFrom([]int{0, 1, 3, 9}).Draw(t, "most")
	return rapid.SliceOfN(rapid.IntRange(0, most), 0, 25*most).Draw(t, "schedule")
})
