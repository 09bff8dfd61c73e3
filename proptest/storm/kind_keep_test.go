package storm_test

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// keepKinds are the combinators with parts that finish although they are left, and flow.Grace, which bounds that.
func keepKinds() kinds {
	return kinds{
		{name: "flow.Shield", weight: 4, least: 1, plan: func(b *builder, n *node, at place) stage {
			return flow.Shield(b.kid(n, 0, at.shielded()))
		}},
		{name: "flow.Grace", least: 1, plan: func(b *builder, n *node, at place) stage {
			return flow.Grace(b.arena.grace(n), b.kid(n, 0, at))
		}},
		{name: "flow.Bracket", weight: 8, least: 3, plan: bracket},
		{name: "flow.Saga", weight: 8, least: 1, plan: sagas},
		{name: "flow.Undo", weight: 14, least: 2, plan: undo},
	}
}

func bracket(b *builder, n *node, at place) stage {
	acquired := func(t tok) *resource { return keep(t.life, &t.life.resources, &resource{tok: t, node: n}) }
	acquire := flow.Then(b.kid(n, 0, at.shielded()), made(n, acquired))
	use := flow.Then(step.Map(func(r *resource) tok { return r.tok }), b.kid(n, 1, at))
	record := step.Map(func(e flow.Ended[*resource, tok]) tok {
		if e.Resource.released.Add(1) > 1 {
			e.Resource.life.wrong("release", "what %s #%d acquired is released twice", n.kind.name, n.id)
		}
		return e.Resource.tok
	})
	back := at.shielded()
	back.behind = at.saga || at.behind
	back.loop, back.saga, back.tasks = false, false, nil
	return flow.Bracket(acquire, use, flow.Then(record, b.backwards(n, 2, back)))
}

// made returns a step that makes a T of t: by a body, or by a goroutine that ignores cancels.
func made[T any](n *node, of func(t tok) T) step.Step[tok, T] {
	if n.n[2]%2 == 0 {
		return step.Map(of)
	}
	return step.Await(func(_ context.Context, t tok) (T, error) {
		if r := t.life.roll(n); r%2 == 0 {
			<-time.After(time.Duration(r>>8%300) * time.Microsecond)
		}
		return of(t), nil
	})
}

// backwards returns kid i, which releases or undoes something. In a calm scene it takes longer than the grace.
func (b *builder) backwards(n *node, i int, at place) stage {
	if b.arena.calm {
		return flow.Then(step.Delay[tok](2*calmGrace), b.kid(n, i, at))
	}
	return b.kid(n, i, at)
}

func sagas(b *builder, n *node, at place) stage {
	inner, root := at.saga || at.behind, at.root
	at.saga, at.behind, at.root, at.tasks = true, false, false, nil
	begin := step.Map(func(t tok) tok {
		next := &saga{node: n, root: root, scope: t.scope, before: t.saga}
		if inner {
			next.outer = t.saga
		}
		t.saga = keep(t.life, &t.life.sagas, next)
		return t
	})
	plan := flow.Saga(b.kid(n, 0, at))
	if root {
		n.says("(the run)")
		return flow.Then(begin, plan)
	}
	noted := flow.CatchInput(flow.Carry(plan), func(_ step.Scope, in tok, _ error) step.Next[flow.Pair[tok, tok]] {
		in.saga.failed.Store(true)
		for _, e := range in.life.marked(in.saga) {
			if e.undone.Load() == 0 && !e.linger {
				in.life.wrong("saga", "the handler around saga #%d is asked, and what #%d has done isn't undone", n.id, e.node.id)
			}
		}
		return step.Unwind[flow.Pair[tok, tok]]()
	})
	end := step.Map(func(p flow.Pair[tok, tok]) tok {
		p.A.saga.succeeded.Store(true)
		p.A.saga = p.A.saga.before
		return p.A
	})
	return flow.Then(flow.Then(begin, noted), end)
}

func undo(b *builder, n *node, at place) stage {
	if !at.saga {
		n.says("(outside of sagas)")
		return b.kid(n, 0, at)
	}
	do := flow.Then(b.kid(n, 0, at.shielded()), made(n, func(t tok) *effect {
		return keep(t.life, &t.life.effects, &effect{tok: t, node: n, linger: at.linger})
	}))
	record := step.Map(func(e *effect) tok {
		if e.undone.Add(1) > 1 {
			e.life.wrong("undo", "what #%d has done is undone twice", n.id)
		}
		t := e.tok
		if t.scope = nil; t.saga != nil {
			t.scope = t.saga.outermost().scope
		}
		return t
	})
	back := at.shielded()
	back.loop, back.saga, back.behind, back.tasks = false, false, false, nil
	undone := flow.Undo(do, flow.Then(record, b.backwards(n, 1, back)))
	return flow.Then(undone, step.Map(func(e *effect) tok { return e.tok }))
}
