package storm_test

import (
	"fmt"
	"runtime"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// place is where a node stands, and says what its parts may do there.
type place struct {
	rank   int  // the first gate, in their order, that may be entered
	noGate bool // a wait for a gate might close a ring that isn't looked for
	loop   bool // break and continue are allowed
	saga   bool
	behind bool // in a release within a saga: sagas here hand their effects over to that one, and Undo isn't built outside of them
	linger bool // inside of a Linger
	late   bool // bodies may begin after the end of a step around
	root   bool // nothing is around
	away   bool // the run isn't on the loops that are shut down
	label  *loopx.Label[tok]
	tasks  *flow.Tasks[tok, tok]
	skips  int  // elements that operators behind the stream drop silently
	inner  bool // the stream is opened several times
}

// apart returns the place in a part that break, continue and sagas don't reach.
func (p place) apart() place {
	p.loop, p.saga, p.behind, p.label, p.tasks = false, false, false, nil, nil
	return p
}

// shielded returns the place of steps that go on when the steps around them are left.
func (p place) shielded() place {
	p.late = p.late || p.linger
	p.tasks = nil // the group may be left already
	return p
}

// elsewhere returns the place of a body on its own goroutine, which may be scheduled later than its step begins.
func (p place) elsewhere() place {
	p.late = p.late || p.linger
	return p
}

type builder struct{ arena *arena }

func (b *builder) plan(n *node, at place) stage {
	n.note = ""
	if b.arena.calm && n.kind.leaves {
		n.note = "(nothing in a calm)"
		return step.Map(func(t tok) tok { return t })
	}
	wraps := n.n[3]%2 == 0 && !at.root && len(n.kids) > 0
	at.root = at.root && n.kind.name == "flow.Saga"
	s := n.kind.plan(b, n, at)
	if !wraps {
		return s
	}
	return reporting(n, s)
}

// reporting returns s with a report that it is over: when the step behind it begins, or a handler is asked.
func reporting(n *node, s stage) stage {
	begin := step.Map(func(t tok) tok {
		t.scope = &scope{outer: t.scope, node: n}
		return t
	})
	caught := flow.CatchInput(flow.Carry(s), func(_ step.Scope, in tok, err error) step.Next[flow.Pair[tok, tok]] {
		in.scope.over.Store(true)
		in.life.arena.judge(err, in.life)
		return step.Unwind[flow.Pair[tok, tok]]()
	})
	end := step.Map(func(p flow.Pair[tok, tok]) tok {
		p.A.scope.over.Store(true)
		p.B.scope = p.A.scope.outer
		return p.B
	})
	return flow.Then(flow.Then(begin, caught), end)
}

func (b *builder) kid(n *node, i int, at place) stage {
	at.root = false
	return b.plan(n.kids[i], at)
}

func (b *builder) all(n *node, at place) []stage {
	kids := make([]stage, len(n.kids))
	for i := range kids {
		kids[i] = b.kid(n, i, at)
	}
	return kids
}

func (n *node) says(format string, args ...any) { n.note = fmt.Sprintf(format, args...) }

func (n *node) some(i int) time.Duration {
	d := time.Duration(n.n[i]*n.n[i]/20+1) * time.Microsecond
	n.says("%v", d)
	return d
}

func first(all []tok) tok { return all[0] }

// elsewhere calls fn on another goroutine, a moment later.
func (a *arena) elsewhere(wait uint64, fn func()) {
	a.helpers.Go(func() {
		for range wait % 4 {
			runtime.Gosched()
		}
		if wait%8 == 0 {
			spin(time.Duration(wait>>8%400) * time.Microsecond)
		}
		fn()
	})
}
