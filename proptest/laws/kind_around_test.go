package laws_test

import (
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// aroundKinds are chains and the kinds that change how the one stage inside is executed.
func aroundKinds() []construct {
	level := func(s *fiber, f *frame, in int) result { return s.level(f.op.inner, in) }
	group := func(o op) func(n *node) []*op {
		return func(n *node) []*op {
			o := o
			o.kind, o.n, o.inner = oGroup, n, compile(n.kids[0])
			return []*op{&o}
		}
	}
	return []construct{
		{
			kind: kChain, name: "chain", weight: func(_ *generator, at place) int { return 3 * at.inner },
			draw: func(g *generator, n *node, depth int) { g.several(n, depth, 1, 4) },
			build: func(b *builder, n *node) stage {
				if len(n.kids) == 2 {
					return flow.Then(b.stage(n.kids[0]), b.stage(n.kids[1]))
				}
				return flow.Chain(b.stages(n.kids)...)
			},
			head: plainly("flow.Chain"),
			ops: func(n *node) (all []*op) {
				for _, kid := range n.kids {
					all = append(all, compile(kid)...)
				}
				return all
			},
		},
		{
			kind: kCatch, name: "catch", weight: innerBy(1),
			draw: func(g *generator, n *node, depth int) {
				g.inside(n, depth)
				n.h = g.handler(depth)
			},
			build: func(b *builder, n *node) stage {
				return flow.Catch(b.inside(n), func(as step.Scope, err error) step.Next[int] { return b.handle(n.h, as, err) })
			},
			head: plainly("flow.Catch"),
			// A handler around a single step without one is that step's handler; otherwise it is the handler of a step around all.
			ops: func(n *node) []*op {
				ops := compile(n.kids[0])
				if len(ops) == 1 && ops[0].h == nil && !ops[0].tries {
					ops[0].h = n.h
					return ops
				}
				return []*op{{kind: oGroup, n: n, inner: ops, h: n.h}}
			},
		},
		{
			kind: kLimit, name: "limit", weight: innerBy(2),
			draw: func(g *generator, n *node, depth int) {
				n.limit = g.duration("limit")
				g.inside(n, depth)
			},
			build: func(b *builder, n *node) stage { return flow.Timeout(n.limit, b.inside(n)) },
			head:  func(n *node) string { return fmt.Sprintf("flow.Timeout %v ", n.limit) },
			perform: func(s *fiber, f *frame, in int) result {
				f.arm(f.op.n.limit)
				return s.level(f.op.inner, in)
			},
		},
		{
			kind: kHook, name: "hook", weight: func(g *generator, at place) int { return or(g.loops+g.tried > 0, at.inner/2) },
			build: func(b *builder, n *node) stage {
				return flow.OnCancel(b.inside(n), func(as step.Scope) { b.w.note(event{what: eHook, id: n.id}.in(as)) })
			},
			head:    func(n *node) string { return fmt.Sprintf("flow.OnCancel #%d", n.id) },
			perform: (*fiber).onCancel,
		},
		{
			kind: kNamed, name: "named", weight: innerBy(6),
			build: func(b *builder, n *node) stage { return flow.Named("name", b.inside(n)) },
			head:  plainly("flow.Named"),
			ops: func(n *node) []*op {
				ops := compile(n.kids[0])
				if len(ops) == 1 {
					return ops
				}
				return []*op{{kind: oGroup, n: n, inner: ops}}
			},
		},
		{
			kind: kCall, name: "call", weight: innerBy(3),
			build: func(b *builder, n *node) stage { return flow.Call(b.inside(n)) },
			head:  plainly("flow.Call"), ops: group(op{}),
		},
		{
			kind: kCopy, name: "copy", weight: innerBy(6),
			build: func(b *builder, n *node) stage {
				return flow.CopyFrom(flow.Model[int, int]{Steps: b.inside(n), State: map[string]any{"model": n.id}})
			},
			head: plainly("flow.CopyFrom"),
			ops:  func(n *node) []*op { return append([]*op{{kind: oQuiet, n: n}}, compile(n.kids[0])...) },
		},
		{
			kind: kSync, name: "sync", weight: func(_ *generator, at place) int { return at.sync },
			draw: func(g *generator, n *node, depth int) {
				n.guard = g.n("guard", 0, g.guards-1)
				g.inside(n, depth)
			},
			build: func(b *builder, n *node) stage {
				return syncx.Sync(&spy{b, n, map[*syncx.Ticket]int{}}, b.inside(n))
			},
			head:    func(n *node) string { return fmt.Sprintf("syncx.Sync #%d g%d ", n.id, n.guard) },
			perform: (*fiber).section,
		},
		{
			kind: kRetry, name: "retry", weight: innerBy(3),
			draw: func(g *generator, n *node, depth int) {
				n.n = g.n("tries", 1, 3)
				g.tried++
				g.inside(n, depth)
				g.tried--
			},
			build: func(b *builder, n *node) stage { return retry.Of(retry.Policy{Tries: n.n}, b.inside(n)) },
			head:  func(n *node) string { return fmt.Sprintf("retry.Of %d tries ", n.n) },
			ops:   func(n *node) []*op { return []*op{{kind: oRetry, n: n, inner: compile(n.kids[0])}} },
		},
		{
			kind: kTry, name: "try", weight: innerBy(3),
			build: func(b *builder, n *node) stage {
				return flow.Then(flow.Try(b.inside(n)), step.Map(func(r flow.Result[int]) int {
					if r.Err != nil {
						return n.id*1000 + len(said(r.Err))
					}
					return r.Value
				}))
			},
			head: func(n *node) string { return fmt.Sprintf("flow.Try #%d ", n.id) },
			ops:  func(n *node) []*op { return append(group(op{tries: true})(n), &op{kind: oQuiet, n: n}) },
		},
		{
			kind: kCarry, name: "carry", weight: innerBy(6),
			draw: func(g *generator, n *node, depth int) {
				n.flav = g.n("carry", 0, carryTap)
				g.inside(n, depth)
			},
			build: (*builder).carry,
			head:  func(n *node) string { return []string{"flow.Carry", "flow.Tap"}[n.flav] },
			ops: func(n *node) []*op {
				ops := compile(n.kids[0])
				return append(ops, &op{kind: oCarry, n: n, span: len(ops)}, &op{kind: oQuiet, n: n})
			},
		},
		{
			kind: kShield, name: "shield", branch: "shield", weight: innerBy(3),
			build: func(b *builder, n *node) stage { return flow.Shield(b.inside(n)) },
			head:  plainly("flow.Shield"), perform: (*fiber).shield,
		},
		{
			kind: kGrace, name: "grace", weight: innerBy(6),
			draw: func(g *generator, n *node, depth int) {
				n.limit = 3 * g.duration("grace")
				g.inside(n, depth)
			},
			build: func(b *builder, n *node) stage { return flow.Grace(n.limit, b.inside(n)) },
			head:  func(n *node) string { return fmt.Sprintf("flow.Grace %v ", n.limit) },
			ops:   group(op{graces: true}),
		},
		{
			kind: kLinger, name: "linger",
			build: func(b *builder, n *node) stage { return flow.Linger(time.Hour, b.inside(n)) },
			head:  plainly("flow.Linger"), perform: level,
		},
	}
}

// carryTap is the variant of kCarry for flow.Tap.
const carryTap = 1

func (b *builder) carry(n *node) stage {
	kid := b.stage(n.kids[0])
	if n.flav == carryTap {
		return flow.Then(flow.Tap(kid), step.Map(func(in int) int { return in }))
	}
	return flow.Then(flow.Carry(kid), step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }))
}

func (s *fiber) onCancel(f *frame, in int) result {
	e := event{what: eHook, id: f.op.n.id}
	s.onLeave(f, e, false)
	if f.hook != nil && !f.hook.seen {
		if f.hook = nil; !s.silent() { // left before it could set its hook
			return result{how: dropped}
		}
		s.onLeave(f, e, false)
	}
	return s.level(f.op.inner, in)
}

// spy is a guard that records the calls of another one.
type spy struct {
	b    *builder
	n    *node
	acts map[*syncx.Ticket]int
}

func (s *spy) gate() gate { return s.b.guards[s.n.guard] }

func (s *spy) Enter(t *syncx.Ticket) (bool, error) {
	entered, err := s.gate().Enter(t)
	e := event{what: eEnter, id: s.n.id, code: answer(entered, err), where: branches(t.Path())}
	s.acts[t] = s.b.w.begin(e)
	return entered, err
}

func (s *spy) Leave(t *syncx.Ticket) {
	s.b.w.note(event{what: eLeave, id: s.n.id, act: s.acts[t], where: branches(t.Path())})
	s.gate().Leave(t)
}

func (s *spy) Withdraw(t *syncx.Ticket) {
	s.b.w.note(event{what: eWithdraw, id: s.n.id, act: s.acts[t], where: branches(t.Path())})
	s.gate().Withdraw(t)
}
