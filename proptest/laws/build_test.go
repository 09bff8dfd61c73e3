package laws_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// builder turns programs into plans, whose bodies act on w.
type builder struct {
	w      *world
	guards []gate
	labels map[int]loopx.Label[int]
	subs   map[*body]stage // sub-steps of bodies
	groups [3]flow.Tasks[int, int]
}

func newBuilder(p *program) *builder {
	b := &builder{labels: map[int]loopx.Label[int]{}, subs: map[*body]stage{}}
	for _, g := range p.guards {
		b.guards = append(b.guards, g.build())
	}
	for i := range b.groups {
		b.groups[i] = flow.NewTasks[int, int](tasksName(i))
	}
	for i := range 4 {
		b.labels[i] = loopx.NewLabel[int](labelName(i))
	}
	return b
}

// renew makes new guards whose time is that of the loop. Guards without time are used again, so that what a run leaves
// in them would show.
func (b *builder) renew(p *program) {
	for i, g := range p.guards {
		if g.times() {
			b.guards[i] = g.build()
		}
	}
}

func tasksName(i int) string { return fmt.Sprintf("T%d", i) }

func labelName(i int) string { return fmt.Sprintf("L%d", i) }

type stage = step.Step[int, int]

func (b *builder) stages(nodes []*node) []stage {
	all := make([]stage, len(nodes))
	for i, n := range nodes {
		all[i] = b.stage(n)
	}
	return all
}

func (b *builder) stage(n *node) stage {
	switch n.kind {
	case kMap:
		return step.Map(func(in int) int {
			b.w.begin(event{what: eBody, id: n.id, value: in, where: nowhere})
			return in + n.id
		})
	case kFunc:
		return step.Func(func(as step.Scope, in int) (int, error) { return b.plainBody(n.body, as, in) })
	case kNew:
		return step.New(func(as step.Scope, in int) step.Next[int] {
			act := b.w.begin(event{what: eBody, id: n.body.id, value: in}.in(as))
			return b.next(n.body, act, as, in+n.body.id, in, nil)
		})
	case kAwait:
		return b.await(n.body)
	case kValue:
		return flow.Value[int](n.n)
	case kCatch:
		return flow.Catch(b.stage(n.kids[0]), func(as step.Scope, err error) step.Next[int] { return b.handle(n.h, as, err) })
	case kLimit:
		return flow.Timeout(n.limit, b.stage(n.kids[0]))
	case kHook:
		return flow.OnCancel(b.stage(n.kids[0]), func(as step.Scope) { b.w.note(event{what: eHook, id: n.id}.in(as)) })
	case kNamed:
		return flow.Named("name", b.stage(n.kids[0]))
	case kCall:
		return flow.Call(b.stage(n.kids[0]))
	case kCopy:
		return flow.CopyFrom(flow.Model[int, int]{Steps: b.stage(n.kids[0]), State: map[string]any{"model": n.id}})
	case kPar:
		return b.par(n)
	case kEach:
		return flow.Then(flow.Then(
			step.Map(func(in int) []int { return elements(in, n.n) }),
			flow.ParEach(n.bound, b.stage(n.kids[0]))), step.Map(sum))
	case kRepeat, kLoop, kList:
		return b.loop(n)
	case kRetry:
		return retry.Of(retry.Policy{Tries: n.n}, b.stage(n.kids[0]))
	case kTry:
		return flow.Then(flow.Try(b.stage(n.kids[0])), step.Map(func(r flow.Result[int]) int {
			if r.Err != nil {
				return n.id*1000 + len(said(r.Err))
			}
			return r.Value
		}))
	case kCarry:
		return b.carry(n)
	case kRace:
		return b.race(n)
	case kShield:
		return flow.Shield(b.stage(n.kids[0]))
	case kLinger:
		return flow.Linger(time.Hour, b.stage(n.kids[0]))
	case kGrace:
		return flow.Grace(n.limit, b.stage(n.kids[0]))
	case kBracket:
		return b.bracket(n)
	case kSaga:
		return flow.Saga(b.stage(n.kids[0]))
	case kUndo:
		return flow.Undo(b.stage(n.kids[0]), b.stage(n.kids[1]))
	case kGraph:
		return b.graph(n)
	case kTasks:
		return b.tasks(n)
	case kSync:
		return syncx.Sync(&spy{b, n, map[*syncx.Ticket]int{}}, b.stage(n.kids[0]))
	default: // kChain
		if len(n.kids) == 2 {
			return flow.Then(b.stage(n.kids[0]), b.stage(n.kids[1]))
		}
		return flow.Chain(b.stages(n.kids)...)
	}
}

// inner returns the stage that a body enters. It is built once, when it is needed.
func (b *builder) inner(body *body) stage {
	if b.subs[body] == nil {
		b.subs[body] = b.stage(body.kid)
	}
	return b.subs[body]
}

// elements returns the inputs of n branches or iterations.
func elements(in, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = in + i
	}
	return all
}

func sum(values []int) int {
	total := 0
	for _, v := range values {
		total += v
	}
	return total
}

func (b *builder) par(n *node) stage {
	kids := b.stages(n.kids)
	switch {
	case n.flav > 0 && len(kids) == 2:
		return flow.Then(flow.Par2(kids[0], kids[1]), step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }))
	case n.flav > 0 && len(kids) == 3:
		return flow.Then(flow.Par3(kids[0], kids[1], kids[2]), step.Map(func(p flow.Triple[int, int, int]) int { return p.A + p.B + p.C }))
	default:
		return flow.Then(flow.Par(kids...), step.Map(sum))
	}
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

// await returns a goroutine that works until a timer of the loop lets it return, because the loop's time is virtual and
// the goroutine's isn't.
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
