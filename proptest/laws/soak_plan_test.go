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

type soaking struct {
	began    time.Time
	guards   []*watched
	begun    atomic.Int64
	cleaned  atomic.Int64
	answered atomic.Uint64
}

func newSoaking() *soaking {
	rate := syncx.Limits{Concurrent: 6, MaxQueue: 40, Rate: 4, Period: time.Millisecond, Burst: 3}
	return &soaking{began: time.Now(), guards: []*watched{
		{name: "mutex", guard: syncx.NewMutex(3, 50), places: 3},
		{name: "throttle", guard: syncx.NewThrottle(5, time.Millisecond, 40), rate: 5, period: time.Millisecond},
		{name: "limiter", guard: syncx.NewLimiter(rate), places: 6, rate: 4, period: time.Millisecond},
	}}
}

// dice is a stage that takes its decisions from the random numbers of its run.
type dice = step.Step[*rand.Rand, *rand.Rand]

// plan returns the plan of all runs, which differ by their random numbers.
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
	section := s.sections(leaf)
	one := func(rs []*rand.Rand) *rand.Rand { return rs[0] }
	branches := flow.Then(flow.Par(leaf, section, flow.Chain(leaf, await), leaf), step.Map(one))
	looped := loopx.Repeat(3, flow.Then(step.Map(func(t loopx.Iteration[*rand.Rand]) *rand.Rand { return t.Carry }), step.New(s.turn)))
	body := flow.Chain[*rand.Rand](
		flow.Catch(flow.Timeout(2*time.Millisecond, branches), s.answer),
		looped,
		flow.Catch(flow.Call(flow.Chain[*rand.Rand](leaf, section)), s.answer),
	)
	return flow.Then(body, step.Map(func(r *rand.Rand) int { return r.IntN(10) }))
}

// sections returns body inside of one guard or two. A mutex and a limiter come in either order, so that deadlocks can happen.
func (s *soaking) sections(body dice) dice {
	mutex, throttle, limiter := s.guards[0], s.guards[1], s.guards[2]
	all := []dice{
		s.section(mutex, body),
		s.section(throttle, body),
		s.section(limiter, body),
		s.section(mutex, s.section(limiter, body)),
		s.section(limiter, s.section(mutex, body)),
		s.section(throttle, s.section(mutex, body)),
	}
	return step.New(func(as step.Scope, r *rand.Rand) step.Next[*rand.Rand] {
		return step.Into(as, all[r.IntN(len(all))], r)
	})
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

func (s *soaking) answer(step.Scope, error) step.Next[*rand.Rand] {
	return step.Succeed(rand.New(rand.NewPCG(s.answered.Add(1), 0)))
}
