package laws_test

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// program is a plan as data, with the guards, the input and the cancel of its run.
type program struct {
	plan   *node
	guards []guardSpec
	input  int
	// cancel is the number of callbacks and completions after which the run is cancelled from outside. Below zero, that
	// happens only if it would wait for ever.
	cancel int
}

// node is one stage. Its kind decides which fields are used.
type node struct {
	kind kind
	id   int     // preorder number in the program, from 1
	last int     // the highest number in it
	kids []*node // inner stages
	body *body   // of leaves
	h    *body   // handler of catch

	limit time.Duration // of a timeout or grace; the delay of a hedge
	n     int           // value, turns, elements, tries or winners
	bound int           // of each, of tasks
	flav  int           // which variant of the kind
	label int           // of a loop, 0 is none; of tasks
	guard int           // index of the guard
	edges [][]int       // of a graph: for each node, those that it takes from; -1 is the input
}

type body struct {
	id        int
	way       way
	code      fault.Code    // of fails and waitsFail
	wait      time.Duration // of waits and waitsFail; 0: a completion from outside of the loop
	kid       *node         // sub-steps of enters
	label     int           // of signals, where 0 is the nearest loop; the group of addsTask
	n         int           // how often a break or continue is sent, or a task added, before the body just succeeds
	resources resources
}

type way uint8

const (
	succeeds    way = iota
	fails           // with code
	panics          //
	silent          // the zero Next
	unwinds         // step.Unwind; misuse except in handlers
	rethrows        // handlers: step.Fail of the same error
	enters          // step.Into of kid
	waits           // and succeeds
	waitsFail       // and fails with code
	breaks          // loopx.Break, BreakTo
	continues       // loopx.Continue, ContinueTo
	failsNil        // misuse: step.Fail(nil)
	usesStale       // misuse: the scope of a step that has ended
	finishTwice     // misuse: Done used twice inside begin
	cancels         // cancels the run, then succeeds
	addsTask        // adds a task to a group, in the first n executions, then succeeds
)

type resources struct {
	limit    time.Duration // 0 is none
	hook     bool
	hookBad  bool // the hook panics
	cleanups int
	badClean int // number of the cleanup that panics, from 1; 0 for none
}

// endsScope reports whether the step of the body has certainly ended when the next one begins: the body succeeds at once, and
// has no cleanups.
func (b *body) endsScope() bool { return b.way == succeeds && b.resources.cleanups == 0 }

// goesOn reports whether the body adds sub-steps or waits, so that a handler's limit and hook apply to these (E2).
func (b *body) goesOn() bool {
	return b.way == enters || b.way == waits || b.way == waitsFail || b.way == finishTwice
}

func (p *program) number() {
	next := 0
	p.plan.number(&next)
}

func (n *node) number(next *int) {
	*next++
	n.id = *next
	if n.body != nil {
		n.body.number(next)
	}
	if n.h != nil {
		n.h.number(next)
	}
	for _, kid := range n.kids {
		kid.number(next)
	}
	n.last = *next
}

func (b *body) number(next *int) {
	*next++
	b.id = *next
	if b.kid != nil {
		b.kid.number(next)
	}
}

func (n *node) visit(fn func(*node)) {
	fn(n)
	for _, b := range []*body{n.body, n.h} {
		if b != nil && b.kid != nil {
			b.kid.visit(fn)
		}
	}
	for _, kid := range n.kids {
		kid.visit(fn)
	}
}

func (p *program) bodies(fn func(*body)) {
	p.plan.visit(func(n *node) {
		for _, b := range []*body{n.body, n.h} {
			if b != nil {
				fn(b)
			}
		}
	})
}

func (p *program) hasSaga() (found bool) {
	p.plan.visit(func(n *node) { found = found || n.kind == kSaga })
	return found
}

// untie adds less than a millisecond to each duration, another time to each, so that timers are seldom due at the same time.
func (p *program) untie() {
	odd := time.Duration(1)
	shift := func(d *time.Duration) {
		if odd = odd * 7919 % 999_983; *d > 0 {
			*d += odd
		}
	}
	for i := range p.guards {
		shift(&p.guards[i].period)
	}
	p.plan.visit(func(n *node) { shift(&n.limit) })
	p.bodies(func(b *body) {
		shift(&b.wait)
		shift(&b.resources.limit)
	})
}
