package storm_test

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
)

var emitted = flow.NewOutput[tok]("storm")

// runKinds are combinators that wait for something outside of their run, and Output.Emit.
func runKinds() kinds {
	return kinds{
		{name: "flow.On", weight: 4, least: 1, leaves: true, plan: func(b *builder, n *node, at place) stage {
			at.late = at.late || at.linger // the part on the other loop learns a little later that it is left
			group := b.arena.home
			if at.away {
				group = b.arena.away
			}
			return flow.On(group, b.kid(n, 0, at.apart()))
		}},
		{name: "flow.AwaitRun", weight: 2, least: 1, leaves: true, plan: func(b *builder, n *node, at place) stage {
			kid := b.kid(n, 0, place{noGate: b.arena.rings, rank: at.rank, away: true})
			awaited := flow.AwaitRun(func(ctx context.Context, t tok) *flow.Running[tok] {
				other := b.arena.live(t.life, n)
				return other.start(ctx, b.arena.away.Next(), kid)
			})
			return flow.Then(flow.Carry(awaited), step.Map(func(p flow.Pair[tok, tok]) tok { return p.A }))
		}},
		{name: "flow.AwaitChan", leaves: true, plan: func(b *builder, n *node, at place) stage {
			return flow.AwaitChan(func(_ context.Context, t tok) <-chan tok {
				c := make(chan tok, 1)
				err := t.act(n, at.elsewhere())
				b.arena.elsewhere(t.life.roll(n), func() {
					if err == nil {
						c <- t
					}
					close(c)
				})
				return c
			})
		}},
		{name: "flow.Run", weight: 2, least: 1, leaves: true, plan: func(b *builder, n *node, at place) stage {
			at = at.apart()
			at.noGate, at.away = at.noGate || b.arena.rings, true
			at.late = at.late || at.linger
			kid := b.kid(n, 0, at)
			return step.Await(func(ctx context.Context, t tok) (tok, error) { return flow.Run(ctx, kid, t) })
		}},
		{name: "Output.Emit", uses: []string{"flow.NewOutput"}, plan: func(*builder, *node, place) stage { return emitted.Emit() }}, // no caller takes the outputs, so they are dropped
		{name: "Memo.Get", uses: []string{"share.NewMemo"}, weight: 3, leaves: true, plan: func(b *builder, n *node, at place) stage {
			get := flow.Then(step.Map(func(t tok) int { return int(t.life.roll(n) % 4) }), b.arena.memo.Get())
			return flow.Then(flow.Carry(get), step.Map(func(p flow.Pair[tok, int]) tok { return p.A }))
		}},
		{name: "Batch.Get", uses: []string{"share.NewBatch"}, weight: 3, leaves: true, plan: func(b *builder, n *node, at place) stage {
			get := flow.Then(step.Map(func(t tok) int { return int(t.life.roll(n) % 8) }), b.arena.batch.Get())
			return flow.Then(flow.Carry(get), step.Map(func(p flow.Pair[tok, int]) tok {
				if p.B != 0 {
					p.A.life.wrong("batch", "the answer is that of another key")
				}
				return p.A
			}))
		}},
	}
}

func (a *arena) shares() {
	a.memo = share.NewMemo(share.MemoPolicy{Lifetime: calmGrace / 8, Size: 2, KeepErrors: func(error) bool { return a.seed%2 == 0 }}, loads[int](a, 0))
	answers := step.Map(func(keys []int) []share.Answer[int] { return make([]share.Answer[int], len(keys)) })
	a.batch = share.NewBatch(share.BatchPolicy{Window: calmGrace / 16, Most: 3}, flow.Then(loads[[]int](a, 1), answers))
}

// loads returns a step for loads, which takes a while and fails now and then.
func loads[T any](a *arena, id int) step.Step[T, T] {
	pause := step.DelayBy(func(step.Scope, T) time.Duration { return time.Duration(a.draw(id)%300) * time.Microsecond })
	return flow.Then(pause, step.Do(func(context.Context, T) error {
		r := a.draw(id)
		return fated(moods[r%uint64(len(moods))][r>>8%4])
	}))
}

func (a *arena) draw(id int) uint64 { return mix(a.seed ^ uint64(id) ^ a.loads.Add(2)) }
