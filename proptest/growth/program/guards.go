package main

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

const ms = time.Millisecond

// guards returns cases of guards: with n flows that enter, wait, leave, or give up in the middle of the queue, and with
// sections inside of each other.
func guards() []growing {
	section := step.Delay[int](ms)
	sync := func(g syncx.Guard) step.Step[int, int] { return syncx.Sync(g, section) }
	priority := func(n int) int { return n % 1000 }
	return []growing{
		{"guards/mutex", crowd(func(int) step.Step[int, int] { return sync(syncx.NewMutex(3, -1)) })},
		{"guards/mutex: wide", crowd(func(n int) step.Step[int, int] { return sync(syncx.NewMutex(n/2, -1)) })},
		{"guards/mutex: trusting", crowd(func(int) step.Step[int, int] { return sync(syncx.NewMutex(3, -1).AllowCycles()) })},
		{"guards/mutex: full", crowd(func(n int) step.Step[int, int] { return sync(syncx.NewMutex(3, n/2)) })},
		{"guards/mutex: weights", crowd(func(int) step.Step[int, int] {
			return syncx.SyncWeighted(syncx.NewMutex(10, -1), func(n int) int { return 1 + n%10 }, section)
		})},
		{"guards/mutex: priority", crowd(func(int) step.Step[int, int] {
			return syncx.Priority(priority, sync(syncx.NewMutex(3, -1).ByPriority(0)))
		})},
		{"guards/mutex: priority with patience", crowd(func(int) step.Step[int, int] {
			return syncx.Priority(func(i int) int { return -i }, sync(syncx.NewMutex(3, -1).ByPriority(2)))
		})},
		{"guards/mutex: full by priority", crowd(func(n int) step.Step[int, int] {
			return syncx.Priority(priority, sync(syncx.NewMutex(3, n/2).ByPriority(10)))
		})},
		{"guards/throttle", crowd(func(int) step.Step[int, int] { return sync(syncx.NewThrottle(10, ms, -1)) })},
		{"guards/throttle: weights and priority", crowd(func(int) step.Step[int, int] {
			h := syncx.NewThrottle(10, ms, -1).ByPriority(10)
			return syncx.Priority(priority, syncx.SyncWeighted(h, func(n int) int { return 1 + n%10 }, section))
		})},
		{"guards/limiter", crowd(func(int) step.Step[int, int] {
			return sync(syncx.NewLimiter(syncx.Limits{Concurrent: 3, MaxQueue: -1, Rate: 10, Period: ms, Burst: -1}))
		})},
		{"guards/token bucket", crowd(func(int) step.Step[int, int] { return sync(syncx.NewTokenBucket(10, ms, 3, -1)) })},
		{"guards/token bucket: priority", crowd(func(int) step.Step[int, int] {
			return syncx.Priority(priority, sync(syncx.NewTokenBucket(10, ms, 3, -1).ByPriority(10)))
		})},
		{"guards/keyed", crowd(func(int) step.Step[int, int] {
			k := syncx.PerKey(func(n int) int { return n / 4 }, func(int) syncx.Guard { return syncx.NewMutex(1, -1) })
			return syncx.SyncKeyed(k, section)
		})},
		{"guards/breaker", crowd(func(n int) step.Step[int, int] {
			b := syncx.NewBreaker(syncx.BreakerPolicy{Window: time.Hour, Rate: 0.9, MinSections: n})
			return syncx.Sync(b, flow.Then(section, step.Func(odd)))
		})},
		{"guards/breaker: last", crowd(func(n int) step.Step[int, int] {
			return syncx.Sync(syncx.NewBreaker(syncx.BreakerPolicy{Last: n, Failures: n}), flow.Then(section, step.Func(odd)))
		})},
		{"guards/adaptive", crowd(func(int) step.Step[int, int] {
			return sync(syncx.NewAdaptive(syncx.AdaptivePolicy{MaxQueue: -1, Window: ms, Max: 10}))
		})},
		{"guards/inside of each other", func(n int) {
			p := flow.Of(step.Delay[int](ms))
			for range n / 10 {
				p = syncx.Sync(syncx.NewMutex(1, -1), p)
			}
			must(flow.Run(context.Background(), p, 0))
		}},
	}
}

func odd(_ step.Scope, n int) (int, error) {
	if n%2 == 1 {
		return 0, fault.CommError
	}
	return n, nil
}

// crowd starts n runs of the step that g makes, and cancels the second quarter of them.
func crowd(g func(n int) step.Step[int, int]) func(n int) {
	return func(n int) {
		l := tooltest.New()
		s := g(n)
		runs := make([]*flow.Running[int], n)
		for i := range runs {
			runs[i] = flow.Start(context.Background(), l, s, i)
		}
		l.Advance(0)
		for i := n / 4; i < n/2; i++ {
			runs[i].Cancel(nil)
		}
		l.Run()
		for i, run := range runs {
			if _, err := run.Result(); fault.Is(err, flow.ErrRunning) || fault.Is(err, syncx.Deadlock) {
				panic(i)
			}
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
