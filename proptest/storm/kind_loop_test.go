package storm_test

import (
	"iter"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

func loopKinds() kinds {
	carry := step.Map(func(i loopx.Iteration[tok]) tok { return i.Carry })
	loop := func(plan func(b *builder, n *node, kid stage) stage) func(*builder, *node, place) stage {
		return func(b *builder, n *node, at place) stage {
			at.loop, at.label = true, nil
			return plan(b, n, b.kid(n, 0, at))
		}
	}
	return kinds{
		{name: "loopx.Loop", weight: 2, least: 1, plan: loop(func(_ *builder, n *node, kid stage) stage {
			return loopx.Loop(flow.Then(turn(n), kid))
		})},
		{name: "loopx.Labelled", uses: []string{"loopx.NewLabel"}, weight: 3, least: 1, plan: func(b *builder, n *node, at place) stage {
			label := loopx.NewLabel[tok]("storm")
			at.loop, at.label = true, &label
			return loopx.Labelled(label, loopx.Loop(flow.Then(turn(n), b.kid(n, 0, at))))
		}},
		{name: "loopx.Repeat", weight: 4, least: 1, plan: loop(func(_ *builder, n *node, kid stage) stage {
			return loopx.Repeat(n.n[1]%4, flow.Then(carry, kid))
		})},
		{name: "loopx.Every", least: 1, plan: loop(func(_ *builder, n *node, kid stage) stage {
			return loopx.Every(n.some(1), flow.Then(turn(n), kid))
		})},
		{name: "loopx.Schedule", least: 1, plan: loop(func(_ *builder, n *node, kid stage) stage {
			d := n.some(1)
			return loopx.Schedule(func(after time.Time) time.Time { return after.Add(d) }, flow.Then(turn(n), kid))
		})},
		{name: "loopx.Each", least: 1, plan: loop(func(_ *builder, _ *node, kid stage) stage {
			return around(kid, func(t tok) []tok { return []tok{t, t} }, loopx.Each[tok, tok])
		})},
		{name: "loopx.EachMap", least: 1, plan: loop(func(_ *builder, _ *node, kid stage) stage {
			return around(kid, func(t tok) map[int]tok { return map[int]tok{1: t, 2: t} }, loopx.EachMap[int, tok, tok])
		})},
		{name: "loopx.EachSeq", least: 1, plan: loop(func(_ *builder, n *node, kid stage) stage {
			return around(kid, func(t tok) iter.Seq[tok] { return t.pair(n) }, loopx.EachSeq[tok, tok])
		})},
		{name: "loopx.EachSeq2", least: 1, plan: loop(func(_ *builder, n *node, kid stage) stage {
			return around(kid, func(t tok) iter.Seq2[int, tok] {
				return func(yield func(int, tok) bool) { t.pair(n)(func(t tok) bool { return yield(0, t) }) }
			}, loopx.EachSeq2[int, tok, tok])
		})},
		{name: "retry.Of", uses: []string{"retry.NewBudget"}, weight: 6, least: 1, plan: func(b *builder, n *node, at place) stage {
			return retry.Of(b.policy(n), b.kid(n, 0, at))
		}},
		{name: "retry.OfAttempt", weight: 2, least: 2, plan: func(b *builder, n *node, at place) stage {
			kids := b.all(n, at)
			return retry.OfAttempt(b.policy(n), func(attempt int) stage { return kids[attempt%2] })
		}},
	}
}

// turn is a step that ends a loop without an end of its own, at some iteration.
func turn(n *node) stage {
	return step.New(func(_ step.Scope, t tok) step.Next[tok] {
		if t.life.spent() || t.life.roll(n)%3 == 0 {
			return loopx.Break[tok]()
		}
		return step.Succeed(t)
	})
}

// around makes a loop over elements that are all the token it gets. Its result is the token.
func around[K, C any](kid stage, of func(tok) C, loop func(step.Step[loopx.Item[K, tok, tok], tok]) flow.Plan[C, tok]) stage {
	value := step.Map(func(i loopx.Item[K, tok, tok]) tok { return i.Value })
	all := flow.Then(step.Map(of), loop(flow.Then(value, kid)))
	return flow.Then(flow.Carry(all), step.Map(func(p flow.Pair[tok, tok]) tok { return p.A }))
}

func (t tok) pair(n *node) iter.Seq[tok] {
	return func(yield func(tok) bool) {
		for t := range slices.Values([]tok{t, t}) {
			unpleasant(t.life.roll(n))
			if !yield(t) {
				return
			}
		}
	}
}

func (b *builder) policy(n *node) retry.Policy {
	p := retry.Policy{Tries: 1 + n.n[1]%4, Pause: n.some(2) / 4, Jitter: 0.5}
	switch n.n[1] / 4 % 4 {
	case 0:
		p.Pause = 0
	case 1:
		p.If = func(error) bool { return true }
	case 2:
		p.Budget = b.arena.budget
	}
	return p
}
