package storm_test

import (
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func flowKinds() kinds {
	return kinds{
		{name: "flow.Then", weight: 12, least: 2, plan: func(b *builder, n *node, at place) stage {
			return flow.Then(b.kid(n, 0, at), b.kid(n, 1, at))
		}},
		{name: "flow.Chain", weight: 12, least: 1, most: 5, plan: func(b *builder, n *node, at place) stage { return flow.Chain(b.all(n, at)...) }},
		{name: "flow.Of", least: 1, plan: func(b *builder, n *node, at place) stage { return flow.Of(b.kid(n, 0, at)) }},
		{name: "flow.Call", least: 1, plan: func(b *builder, n *node, at place) stage { return flow.Call(b.kid(n, 0, at)) }},
		{name: "flow.Named", least: 1, plan: func(b *builder, n *node, at place) stage {
			return flow.Named("stormy", flow.Call(b.kid(n, 0, at)))
		}},
		{name: "flow.Tap", least: 1, plan: func(b *builder, n *node, at place) stage { return flow.Tap(b.kid(n, 0, at)) }},
		{name: "flow.Carry", least: 1, plan: func(b *builder, n *node, at place) stage {
			return flow.Then(flow.Carry(b.kid(n, 0, at)), step.Map(func(p flow.Pair[tok, tok]) tok { return p.A }))
		}},
		{name: "flow.Value", plan: func(*builder, *node, place) stage {
			return flow.Then(flow.Carry(flow.Value[tok](1)), step.Map(func(p flow.Pair[tok, int]) tok { return p.A }))
		}},
		{name: "flow.CopyFrom", least: 1, plan: func(b *builder, n *node, at place) stage {
			return flow.CopyFrom(flow.Model[tok, tok]{Steps: b.kid(n, 0, at), State: map[string]any{"model": n.id}})
		}},
		{name: "flow.Catch", uses: []string{"step.Unwind"}, weight: 10, least: 2, plan: func(b *builder, n *node, at place) stage {
			// Catch doesn't have the input, so the state keeps it.
			in, handler := step.NewVar[tok]("in"), b.kid(n, 1, at)
			set := step.Func(func(as step.Scope, t tok) (tok, error) {
				in.Set(as, t)
				return t, nil
			})
			guarded := flow.Then(set, b.kid(n, 0, at))
			return flow.Catch(guarded, func(as step.Scope, err error) step.Next[tok] {
				t, ok := in.Get(as)
				if !ok || n.n[1]%8 == 0 {
					return step.Unwind[tok]()
				}
				t.life.arena.judge(err, t.life)
				if n.n[1]%8 == 1 {
					return step.Fail[tok](errStorm)
				}
				if n.n[1]%8 == 2 {
					panic(thrown)
				}
				if n.n[1]%2 == 0 {
					return step.Fail[tok](err)
				}
				// t may be the token of another branch, so it isn't given to steps.
				in := tok{life: t.life}
				if at.saga { // nor is its saga known: this stand-in never counts as succeeded, because that saga may fail later
					in.saga = &saga{node: n}
				}
				return step.Into(as, handler, in)
			})
		}},
		{name: "flow.CatchInput", weight: 10, least: 2, plan: func(b *builder, n *node, at place) stage {
			handler := b.kid(n, 1, at)
			return flow.CatchInput(b.kid(n, 0, at), func(as step.Scope, t tok, err error) step.Next[tok] {
				t.begin(n, at)
				t.life.arena.judge(err, t.life)
				switch n.n[1] % 8 {
				case 0:
					return step.Into(as, handler, t)
				case 1:
					return step.Unwind[tok]()
				}
				return step.Succeed(t)
			})
		}},
		{name: "flow.Try", weight: 4, least: 1, plan: func(b *builder, n *node, at place) stage {
			return flow.Then(flow.Carry(flow.Try(b.kid(n, 0, at))), step.Map(func(p flow.Pair[tok, flow.Result[tok]]) tok {
				p.A.life.arena.judge(p.B.Err, p.A.life)
				return p.A
			}))
		}},
		{name: "flow.OrElse", least: 1, plan: func(b *builder, n *node, at place) stage {
			or := flow.OrElse(flow.Then(b.kid(n, 0, at), step.Map(func(tok) int { return 1 })), 2)
			return flow.Then(flow.Carry(or), step.Map(func(p flow.Pair[tok, int]) tok { return p.A }))
		}},
		{name: "flow.Timeout", weight: 6, least: 1, leaves: true, plan: func(b *builder, n *node, at place) stage {
			return flow.Timeout(n.some(1), b.kid(n, 0, at))
		}},
		{name: "flow.OnCancel", least: 1, plan: func(b *builder, n *node, at place) stage {
			return flow.OnCancel(b.kid(n, 0, at), func(step.Scope) { unpleasant(uint64(n.n[1])) })
		}},
	}
}
