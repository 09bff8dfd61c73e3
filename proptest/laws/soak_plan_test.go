package laws_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// soaking is what the runs of a soak share.
type soaking struct {
	mutex   *syncx.Mutex
	inside  atomic.Int64
	begun   atomic.Int64
	cleaned atomic.Int64
}

// dice is a stage of the soak: it decides by the run's own dice.
type dice = step.Step[*rand.Rand, *rand.Rand]

// plan holds everything, nested once: what happens is up to the dice.
func (s *soaking) plan() step.Step[*rand.Rand, int] {
	leaf := step.New(s.leaf)
	await := step.Await(func(ctx context.Context, r *rand.Rand) (*rand.Rand, error) {
		select {
		case <-time.After(50 * time.Microsecond):
			return r, nil
		case <-ctx.Done():
			return r, context.Cause(ctx)
		}
	})
	section := syncx.Sync(s.mutex, flow.Then(step.Func(func(as step.Scope, r *rand.Rand) (*rand.Rand, error) {
		return r, nil
	}), dice(flow.Catch(flow.Then(step.New(s.guarded), leaf), s.answer))))
	one := func(rs []*rand.Rand) *rand.Rand { return rs[0] }
	branches := flow.Then(flow.Par(leaf, section, flow.Chain(leaf, await), leaf), step.Map(one))
	looped := loopx.Repeat(3, flow.Then(step.Map(func(t loopx.Turn[*rand.Rand]) *rand.Rand { return t.Carry }), step.New(s.turn)))
	body := flow.Chain[*rand.Rand](
		flow.Catch(flow.Timeout(2*time.Millisecond, branches), s.answer),
		looped,
		flow.Catch(flow.Call(flow.Chain[*rand.Rand](leaf, section)), s.answer),
	)
	return flow.Then(body, step.Map(func(r *rand.Rand) int { return r.IntN(10) }))
}

// guarded checks that the mutex keeps others out while it is inside.
func (s *soaking) guarded(as step.Scope, r *rand.Rand) step.Next[*rand.Rand] {
	n := s.inside.Add(1)
	s.begun.Add(1)
	step.StackCleanup(as, func(*int) {
		s.inside.Add(-1)
		s.cleaned.Add(1)
	})
	if n > 3 {
		return step.Fail[*rand.Rand](fault.Code("Overfull"))
	}
	return s.outcome(as, r)
}

func (s *soaking) leaf(as step.Scope, r *rand.Rand) step.Next[*rand.Rand] {
	s.begun.Add(1)
	step.StackCleanup(as, func(*int) { s.cleaned.Add(1) })
	if r.IntN(4) == 0 {
		as.SetCancel(func() {})
	}
	return s.outcome(as, r)
}

func (s *soaking) turn(as step.Scope, r *rand.Rand) step.Next[*rand.Rand] {
	switch r.IntN(6) {
	case 0:
		return loopx.Break[*rand.Rand]()
	case 1:
		return loopx.Continue[*rand.Rand]()
	default:
		return s.leaf(as, r)
	}
}

func (s *soaking) outcome(as step.Scope, r *rand.Rand) step.Next[*rand.Rand] {
	switch r.IntN(20) {
	case 0:
		return step.Fail[*rand.Rand](fault.Code("Soaked"))
	case 1:
		panic("as the dice say")
	case 2, 3, 4:
		return step.Wait(as, func(done step.Done[*rand.Rand]) {
			_, _ = as.Loop().Deferred(time.Duration(r.IntN(100))*time.Microsecond, func() { done.Succeed(r) })
		})
	case 5:
		as.SetTimeout(10 * time.Microsecond)
		return step.Wait[*rand.Rand](as, nil)
	default:
		return step.Succeed(r)
	}
}

func (s *soaking) answer(_ step.Scope, err error) step.Next[*rand.Rand] {
	if fault.CodeOf(err) == "Overfull" {
		return step.Unwind[*rand.Rand]()
	}
	return step.Succeed(rand.New(rand.NewPCG(1, 1)))
}
