package storm_test

import (
	"context"
	"iter"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

// operatorKinds are the operators of streams. Most pass their elements on unchanged.
func operatorKinds() kinds {
	one := func(of func(b *builder, n *node, at place, s flowing) flowing) func(*builder, *node, place) flowing {
		return func(b *builder, n *node, at place) flowing {
			switch n.kind.name { // an element that is dropped later may be made of that many
			case "stream.Batch":
				at.skips *= 1 + n.n[0]%20
			case "stream.Window":
				at.skips *= 1 + n.n[0]%10
			}
			return of(b, n, at, b.stream(n, 0, at))
		}
	}
	works := func(n *node) func(u *unit) (*unit, error) {
		return func(u *unit) (*unit, error) { return u, u.exec.works(n) }
	}
	whole := func(parts []*unit) *unit { return parts[0].exec.unit(parts...) }
	return kinds{
		{name: "stream.Map", least: 1, flows: 1, stream: one(func(_ *builder, n *node, _ place, s flowing) flowing {
			return stream.Map(s, func(u *unit) *unit {
				if works(n)(u); n.n[1] == 0 {
					panic(thrown)
				}
				return u
			})
		})},
		{name: "stream.Func", weight: 3, least: 1, flows: 1, stream: one(func(_ *builder, n *node, _ place, s flowing) flowing { return stream.Func(s, works(n)) })},
		{name: "stream.Through", weight: 6, least: 2, flows: 1, stream: one(func(b *builder, n *node, at place, s flowing) flowing {
			return stream.Through(s, n.bound(), b.element(n, at))
		})},
		{name: "stream.Partition", weight: 4, least: 2, flows: 1, stream: one(func(b *builder, n *node, at place, s flowing) flowing {
			return stream.Partition(s, n.bound(), func(u *unit) int {
				u.exec.slip(n)
				return u.number % 3
			}, b.element(n, at))
		})},
		{name: "stream.Await", weight: 4, least: 1, flows: 1, stream: one(func(_ *builder, n *node, _ place, s flowing) flowing {
			return stream.Await(s, n.bound(), func(_ context.Context, u *unit) (*unit, error) { return works(n)(u) })
		})},
		{name: "stream.FlatMap", weight: 6, least: 2, flows: 2, stream: flatMap},
		{name: "stream.Expand", weight: 4, least: 1, flows: 1, stream: one(func(_ *builder, n *node, _ place, s flowing) flowing {
			return parted(stream.Expand(s, func(u *unit) iter.Seq[*unit] {
				u.exec.slip(n)
				return func(yield func(*unit) bool) {
					for range n.n[1] % 4 {
						u.exec.slip(n)
						if !yield(u.exec.unit()) {
							return
						}
					}
					yield(&unit{exec: u.exec, ends: u})
				}
			}))
		})},
		{name: "stream.Filter", weight: 2, least: 1, flows: 1, stream: one(func(_ *builder, n *node, _ place, s flowing) flowing {
			return stream.Filter(s, func(u *unit) bool {
				if works(n)(u); u.number%3 == 0 {
					u.hear()
					return false
				}
				return true
			})
		})},
		{name: "stream.Distinct", least: 1, flows: 1, stream: func(b *builder, n *node, at place) flowing {
			s := b.stream(n, 0, at)
			if at.inner { // each of the streams has its own keys
				return s
			}
			return stream.Distinct(s, func(u *unit) int {
				works(n)(u)
				key := [2]int{n.id, u.number / 2}
				u.exec.mu.Lock()
				known := u.exec.keys[key]
				u.exec.keys[key] = true
				u.exec.mu.Unlock()
				if known {
					u.hear()
				}
				return key[1]
			})
		}},
		{name: "stream.Scan", least: 1, flows: 1, stream: one(func(_ *builder, n *node, _ place, s flowing) flowing {
			return stream.Scan(s, func() *unit { return nil }, func(_, u *unit) *unit {
				works(n)(u)
				return u
			})
		})},
		{name: "stream.Batch", weight: 3, least: 1, flows: 1, stream: one(func(_ *builder, n *node, _ place, s flowing) flowing {
			return stream.Map(stream.Batch(s, stream.Batching{Size: 1 + n.n[0]%20, Wait: n.some(1) * time.Duration(n.n[2]%2)}), whole)
		})},
		{name: "stream.Window", weight: 2, least: 1, flows: 1, stream: one(func(_ *builder, n *node, _ place, s flowing) flowing {
			return stream.Map(stream.Window(s, 1+n.n[0]%10, 1+n.n[0]%10), whole)
		})},
		{name: "stream.Throttle", least: 1, flows: 1, stream: one(func(_ *builder, n *node, _ place, s flowing) flowing {
			return stream.Throttle(s, 1+n.n[0], n.some(1))
		})},
		{name: "stream.Take", weight: 2, least: 1, flows: 1, stream: one(func(_ *builder, n *node, _ place, s flowing) flowing { return stream.Take(s, n.n[0]/2) })},
		{name: "stream.Skip", least: 1, flows: 1, stream: func(b *builder, n *node, at place) flowing {
			at.skips += n.n[0] % 4
			return stream.Skip(b.stream(n, 0, at), n.n[0]%4)
		}},
		{name: "stream.Catch", weight: 2, least: 1, flows: 1, stream: one(func(_ *builder, n *node, _ place, s flowing) flowing {
			return stream.Catch(s, func(err error) error {
				if n.n[0]%2 == 0 {
					return err
				}
				letters(err)
				return nil
			})
		})},
		{name: "stream.Measure", least: 1, flows: 1, stream: one(func(_ *builder, _ *node, _ place, s flowing) flowing {
			return stream.Measure(s, new(stream.Progress))
		})},
		{name: "stream.Named", least: 1, flows: 1, stream: one(func(_ *builder, _ *node, _ place, s flowing) flowing { return stream.Named("stormy", s) })},
		{name: "stream.Input", least: 1, flows: 1, stream: one(func(_ *builder, _ *node, _ place, s flowing) flowing {
			return stream.Input(func(t tok) tok { return t }, s)
		})},
		{name: "stream.Merge", weight: 3, least: 1, most: 3, flows: 3, stream: func(b *builder, n *node, at place) flowing { return stream.Merge(b.streams(n, at)...) }},
		{name: "stream.Concat", weight: 2, least: 1, most: 3, flows: 3, stream: func(b *builder, n *node, at place) flowing { return stream.Concat(b.streams(n, at)...) }},
		{name: "stream.Zip", weight: 2, least: 2, flows: 2, stream: func(b *builder, n *node, at place) flowing {
			both := stream.Zip(b.stream(n, 0, at), b.stream(n, 1, at))
			return stream.Map(both, func(p flow.Pair[*unit, *unit]) *unit { return whole([]*unit{p.A, p.B}) })
		}},
	}
}

func (b *builder) stream(n *node, i int, at place) flowing {
	n.kids[i].note = ""
	return n.kids[i].kind.stream(b, n.kids[i], at)
}

func (b *builder) streams(n *node, at place) []flowing {
	all := make([]flowing, len(n.kids))
	for i := range all {
		all[i] = b.stream(n, i, at)
	}
	return all
}

// parted marks elements as given when they leave an Expand. The last one of each stands for the end of the element that they were
// made of.
func parted(s flowing) flowing {
	return counted(stream.Filter(s, func(u *unit) bool {
		if u.ends != nil {
			u.ends.open() // its iterator may not have ended
			u.ends.hear()
		}
		return u.ends == nil
	}))
}

func (n *node) bound() stream.Bound {
	b := stream.Bound{Limit: 1 + n.n[0]%4, Buffer: n.n[1] % 5, Unordered: n.n[2]%2 == 0}
	n.says("%+v", b)
	return b
}

// element returns the second kid as steps for an element, which is then passed on.
func (b *builder) element(n *node, at place) step.Step[*unit, *unit] {
	kid := b.kid(n, 1, at.within(b))
	steps := flow.Then(step.Map(func(u *unit) tok { return u.exec.tok }), kid)
	return flow.Then(flow.Carry(steps), step.Map(func(p flow.Pair[*unit, tok]) *unit { return p.A }))
}

// within returns the place of steps in a stream. Sagas around the stream apply to them.
func (p place) within(b *builder) place {
	saga := p.saga
	p = p.apart()
	p.saga = saga
	p.noGate = p.noGate || b.arena.rings // rings through streams aren't looked for
	return p
}

// flatMap opens the second kid for each element. Behind it comes a source without elements, whose iterator shows that the inner
// stream has ended.
func flatMap(b *builder, n *node, at place) flowing {
	inner := at
	inner.inner = true
	parents := stream.Input(func(u *unit) tok { return u.exec.tok }, b.stream(n, 1, inner))
	last := stream.Input(func(u *unit) iter.Seq[*unit] {
		return func(func(*unit) bool) {
			u.open()
			u.hear()
		}
	}, stream.Seq[*unit]())
	return stream.FlatMap(b.stream(n, 0, at), n.bound(), stream.Concat(parents, last))
}
