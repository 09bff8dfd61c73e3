package laws_test

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

func loopKinds() []construct {
	loop := func(n *node) []*op { return []*op{{kind: oLoop, n: n, inner: compile(n.kids[0])}} }
	return []construct{
		{
			kind: kRepeat, name: "repeat", weight: innerBy(3), draw: (*generator).loop, build: (*builder).loop, ops: loop,
			head: func(n *node) string { return labelled(n) + fmt.Sprintf("loopx.Repeat %d ", n.n) },
		},
		{
			kind: kLoop, name: "loop", weight: innerBy(3), draw: (*generator).loop, build: (*builder).loop, ops: loop,
			head: func(n *node) string { return labelled(n) + fmt.Sprintf("loopx.Loop #%d, at most %d turns ", n.id, n.n) },
		},
		{
			kind: kList, name: "list", weight: innerBy(4), draw: (*generator).loop, build: (*builder).loop,
			head: func(n *node) string {
				return labelled(n) + fmt.Sprintf("loopx.%s of %d ", []string{"Each", "EachMap", "EachSeq", "EachSeq2"}[n.flav], n.n)
			},
			ops: func(n *node) []*op { return append([]*op{{kind: oQuiet, n: n}}, loop(n)...) },
		},
	}
}

func (g *generator) loop(n *node, depth int) {
	n.n = g.n("turns", 0, 3)
	if n.kind == kList {
		n.flav = g.n("list", 0, 3)
	}
	if g.bool("labelled", 2) {
		n.label = g.n("label", 1, 3)
	}
	g.loops++
	g.labels = append(g.labels, n.label)
	n.kids = []*node{g.stage(depth + 1)}
	g.labels = g.labels[:len(g.labels)-1]
	g.loops--
}

func (b *builder) loop(n *node) stage {
	kid := b.stage(n.kids[0])
	switch n.kind {
	case kRepeat:
		return label(b, n, loopx.Repeat(n.n, flow.Then(step.Map(func(t loopx.Iteration[int]) int { return t.Carry + t.Index }), kid)))
	case kLoop:
		return label(b, n, loopx.Loop(flow.Then(step.New(func(as step.Scope, in int) step.Next[int] {
			b.w.counts[n.id]++
			goes := b.w.counts[n.id] <= n.n
			b.w.begin(event{what: eTurn, id: n.id, value: in, ok: goes}.in(as))
			if !goes {
				return loopx.Break[int]()
			}
			return step.Succeed(in)
		}), kid)))
	}
	item := func(i loopx.Item[int, int, int]) int { return i.Value + i.Carry }
	switch n.flav {
	case 1:
		return flow.Then(step.Map(func(in int) map[int]int {
			return maps.Collect(slices.All(elements(in, n.n)))
		}), label(b, n, loopx.EachMap(flow.Then(step.Map(item), kid))))
	case 2:
		return flow.Then(step.Map(func(in int) iter.Seq[int] { return slices.Values(elements(in, n.n)) }),
			label(b, n, loopx.EachSeq(flow.Then(step.Map(item), kid))))
	case 3:
		return flow.Then(step.Map(func(in int) iter.Seq2[int, int] { return slices.All(elements(in, n.n)) }),
			label(b, n, loopx.EachSeq2(flow.Then(step.Map(item), kid))))
	default:
		return flow.Then(step.Map(func(in int) []int { return elements(in, n.n) }),
			label(b, n, loopx.Each(flow.Then(step.Map(item), kid))))
	}
}

func label[In any](b *builder, n *node, loop step.Step[In, int]) step.Step[In, int] {
	if n.label == 0 {
		return loop
	}
	return loopx.Labelled(b.labels[n.label], loop)
}

func (s *fiber) loop(f *frame, in int) result {
	n := f.op.n
	carry := in
	if n.kind == kList {
		carry = 0
	}
	for i := 0; n.kind == kLoop || i < n.n; i++ {
		item := carry
		switch n.kind {
		case kRepeat:
			item += i
		case kList:
			item += in + i
		default:
			goes := func() bool { return s.m.counts[n.id] < n.n }
			if !s.show(false, func() event { return event{what: eTurn, id: n.id, value: item, ok: goes()} }) {
				return result{how: dropped}
			}
			again := goes()
			s.m.counts[n.id]++
			if !again {
				return result{value: carry}
			}
		}
		r := s.level(f.op.inner, item)
		switch {
		case r.how == ok:
			carry = r.value
		case r.how == signalled && r.sig.target == f:
			if len(s.also) > 0 && !s.silent() {
				return result{how: dropped}
			}
			s.tell()
			if r.sig.given {
				carry = r.sig.value
			}
			if !r.sig.again {
				return result{value: carry}
			}
		default:
			return r
		}
	}
	return result{value: carry}
}
