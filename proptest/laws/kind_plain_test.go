package laws_test

import (
	"context"
	"fmt"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func plainKinds() []construct {
	leaf := func(_ *generator, at place) int { return at.leaf }
	return []construct{
		{
			kind: kMap, name: "map", weight: leaf,
			draw: func(*generator, *node, int) {},
			build: func(b *builder, n *node) stage {
				return step.Map(func(in int) int {
					b.w.begin(event{what: eBody, id: n.id, value: in, where: nowhere})
					return in + n.id
				})
			},
			head: func(n *node) string { return fmt.Sprintf("step.Map(#%d)", n.id) },
			perform: func(s *fiber, f *frame, in int) result {
				if _, did := s.begin(event{what: eBody, id: f.op.n.id, value: in, where: nowhere}); !did {
					return result{how: dropped}
				}
				return result{value: in + f.op.n.id}
			},
		},
		{
			kind: kFunc, name: "func", weight: leaf,
			draw: func(g *generator, n *node, depth int) { n.body = g.body(true, depth) },
			build: func(b *builder, n *node) stage {
				return step.Func(func(as step.Scope, in int) (int, error) { return b.plainBody(n.body, as, in) })
			},
			head: plainly("step.Func "),
			perform: func(s *fiber, f *frame, in int) result {
				r := s.body(f, in)
				if r.how != dropped && f.op.n.body.endsScope() {
					s.m.stale = true
				}
				return r
			},
		},
		{
			kind: kNew, name: "new", weight: func(_ *generator, at place) int { return 4 * at.leaf },
			draw: func(g *generator, n *node, depth int) { n.body = g.body(false, depth) },
			build: func(b *builder, n *node) stage {
				return step.New(func(as step.Scope, in int) step.Next[int] {
					act := b.w.begin(event{what: eBody, id: n.body.id, value: in}.in(as))
					return b.next(n.body, act, as, in+n.body.id, in, nil)
				})
			},
			head: plainly("step.New "), perform: (*fiber).body,
		},
		{
			kind: kValue, name: "value", weight: leaf,
			draw:    func(g *generator, n *node, _ int) { n.n = g.n("value", 0, 9) },
			build:   func(_ *builder, n *node) stage { return flow.Value[int](n.n) },
			head:    func(n *node) string { return fmt.Sprintf("flow.Value(%d)", n.n) },
			perform: func(s *fiber, f *frame, _ int) result { return s.quietly(f.op.n.n) },
		},
		{
			kind: kAwait, name: "await", weight: func(g *generator, at place) int { return or(!g.await || g.gets > 0, 2*at.leaf) },
			draw: func(g *generator, n *node, _ int) {
				n.body = &body{way: []way{waits, waitsFail}[g.pick("await", 3, 1)], code: g.code(), wait: g.duration("work")}
			},
			build: func(b *builder, n *node) stage { return b.await(n.body) },
			head:  plainly("step.Await "),
			ops:   func(n *node) []*op { return []*op{{n: n}, {kind: oReady, n: n}} },
			perform: func(s *fiber, f *frame, in int) result {
				b := f.op.n.body
				act, did := s.begin(event{what: eBody, id: b.id, value: in})
				if !did {
					return result{how: dropped}
				}
				s.act = act
				s.m.waits[act] = &wait{what: eReady, deadline: s.m.now + b.wait}
				return result{value: in}
			},
		},
	}
}

// await returns steps with a goroutine that waits for a timer of the loop, because the time of a program is the loop's.
func (b *builder) await(body *body) stage {
	type job struct {
		in    int
		ready chan struct{}
	}
	return flow.Then(
		step.Func(func(as step.Scope, in int) (job, error) {
			act := b.w.begin(event{what: eBody, id: body.id, value: in}.in(as))
			j := job{in, make(chan struct{})}
			w := b.w
			_, _ = as.Loop().Deferred(body.wait, func() {
				w.note(event{what: eReady, act: act})
				close(j.ready)
			})
			return j, nil
		}),
		step.Await(func(ctx context.Context, j job) (int, error) {
			select {
			case <-j.ready:
				if body.way == waitsFail {
					return 0, body.err()
				}
				return j.in + body.id, nil
			case <-ctx.Done():
				return 0, fmt.Errorf("nobody hears of this: %w", context.Cause(ctx))
			}
		}))
}

func (s *fiber) body(f *frame, in int) result {
	b := f.op.n.body
	act, did := s.begin(event{what: eBody, id: b.id, value: in})
	if !did {
		return result{how: dropped}
	}
	return s.deed(f, b, act, in+b.id, in, nil)
}
