package storm_test

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// A gate is a guard that the runs of a scene share.
type gate struct {
	name   string
	places int64 // largest number inside; 0 if it isn't checked
	guard  interface {
		syncx.Guard
		Inside() int
		Queued() int
	}
	keyed  *syncx.Keyed[tok, uint64] // instead of guard
	rate   int                       // entries in a period; 0 if they aren't checked
	inside atomic.Int64

	mu      sync.Mutex
	entries []entry
}

// An entry was made between these times.
type entry struct{ asked, called time.Time }

// period is that of all gates with a rate.
const period = 200 * time.Microsecond

// gateMakers make the gates of a scene. Without rings, a flow enters them in this order.
var gateMakers = []struct {
	uses []string
	make func(r uint64) *gate
}{
	{[]string{"syncx.NewMutex"}, func(r uint64) *gate {
		return &gate{name: "mutex", places: 1 + int64(r%2), guard: syncx.NewMutex(1+int(r%2), -1)}
	}},
	{[]string{"syncx.PerKey", "Keyed.Keep"}, func(r uint64) *gate {
		byRun := func(t tok) uint64 { return t.life.number % (1 + r%3) }
		return &gate{name: "mutex by key", keyed: syncx.PerKey(byRun, func(uint64) syncx.Guard { return syncx.NewMutex(1, -1) }).Keep(1)}
	}},
	{[]string{"syncx.NewThrottle"}, func(r uint64) *gate {
		return &gate{name: "throttle", rate: 1 + int(r%3), guard: syncx.NewThrottle(1+int(r%3), period, int(r>>8%8)-1)}
	}},
	{[]string{"syncx.NewPool", "Mutex.ByPriority"}, func(r uint64) *gate {
		return &gate{name: "pool by priority", places: 1 + int64(r%3), guard: syncx.NewPool(1 + int(r%3)).ByPriority(2)}
	}},
	{[]string{"syncx.NewLimiter"}, func(r uint64) *gate {
		return &gate{name: "limiter", places: 2, guard: syncx.NewLimiter(syncx.Limits{Concurrent: 2, MaxQueue: -1, Rate: 2, Period: period, Burst: -1})}
	}},
	{[]string{"syncx.NewTokenBucket"}, func(r uint64) *gate {
		return &gate{name: "bucket", guard: syncx.NewTokenBucket(1+int(r%3), period, 2, -1)}
	}},
	{[]string{"syncx.NewBreaker"}, func(uint64) *gate {
		return &gate{name: "breaker", guard: breaker{syncx.NewBreaker(syncx.BreakerPolicy{Pause: period})}}
	}},
	{[]string{"syncx.NewAdaptive"}, func(uint64) *gate {
		return &gate{name: "adaptive", guard: syncx.NewAdaptive(syncx.AdaptivePolicy{Start: 2, Max: 4, MaxQueue: -1, Window: time.Millisecond})}
	}},
	{nil, func(uint64) *gate { return &gate{name: "last mutex", places: 1, guard: syncx.NewMutex(1, -1)} }},
}

type breaker struct{ *syncx.Breaker }

func (breaker) Inside() int { return 0 }
func (breaker) Queued() int { return 0 }

// gate returns the gate of a section at a place, or nil if none is allowed there, and the place inside of it.
func (b *builder) gate(n *node, at place) (*gate, place) {
	if at.noGate || at.rank >= len(b.arena.gates) {
		n.says("(no gate)")
		return nil, at
	}
	g := b.arena.gates[at.rank+n.n[1]%(len(b.arena.gates)-at.rank)]
	if b.arena.rings {
		if n.n[1]%4 != 0 { // rings are rare with many gates
			g = b.arena.gates[n.n[1]/4%2*(len(b.arena.gates)-1)]
		}
	} else {
		at.rank = 1 + b.arena.rank(g)
	}
	n.says("%s", g.name)
	return g, at
}

func guardKinds() kinds {
	return kinds{
		{name: "syncx.Sync", weight: 14, least: 1, plan: func(b *builder, n *node, at place) stage {
			g, in := b.gate(n, at)
			if g == nil {
				return b.kid(n, 0, at)
			}
			section := g.section(b, n, b.kid(n, 0, in))
			if g.keyed != nil {
				return syncx.SyncKeyed(g.keyed, section)
			}
			ask := step.Map(func(t tok) tok {
				t.asked = time.Now()
				return t
			})
			return flow.Then(ask, syncx.Sync(g.guard, section))
		}},
		{name: "syncx.SyncWeighted", uses: []string{"syncx.SyncKeyed"}, weight: 4, least: 1, plan: func(b *builder, n *node, at place) stage {
			g, in := b.gate(n, at)
			if g == nil {
				return b.kid(n, 0, at)
			}
			if g.places == 0 {
				return b.kid(n, 0, at)
			}
			weight := 1 + n.n[2]%int(g.places)
			return syncx.SyncWeighted(g.guard, func(tok) int { return weight }, g.section(b, n, b.kid(n, 0, in)))
		}},
		{name: "syncx.Priority", least: 1, plan: func(b *builder, n *node, at place) stage {
			return syncx.Priority(func(tok) int { return n.n[1] % 3 }, b.kid(n, 0, at))
		}},
	}
}

func (g *gate) section(b *builder, n *node, kid stage) stage {
	return step.New(func(as step.Scope, t tok) step.Next[tok] {
		if in := g.inside.Add(1); g.places > 0 && in > g.places && !b.arena.rings { // in a ring a flow may be inside twice
			t.life.wrong("guard", "%d are inside of the %s by #%d", in, g.name, n.id)
		}
		step.StackCleanup(as, func(*int) { g.inside.Add(-1) })
		if g.rate > 0 {
			keepIn(&g.mu, &g.entries, entry{t.asked, time.Now()})
		}
		return step.Into(as, kid, t)
	})
}

// hurried looks for a stretch of time with more entries than allowed: a stretch of n periods touches at most n+1 windows.
func (g *gate) hurried(a *arena) {
	for _, n := range []int{1, 4, 16} {
		for _, first := range g.entries {
			end, made := first.asked.Add(time.Duration(n)*period), 0
			for _, e := range g.entries {
				if !e.asked.Before(first.asked) && e.called.Before(end) {
					made++
				}
			}
			if made > (n+1)*g.rate {
				a.wrong("rate", "%s: %d entries in %d periods, %d in each are allowed", g.name, made, n, g.rate)
			}
		}
	}
}

func (g *gate) rested(ctx context.Context, a *arena) {
	if n := g.inside.Load(); n != 0 {
		a.wrong("guard", "%s: %d haven't left", g.name, n)
	}
	g.hurried(a)
	if g.keyed != nil {
		if busy, _ := g.keyed.Guards(); busy != 0 {
			a.wrong("guard", "%s: %d keys are in use when all is over", g.name, busy)
		}
		return
	}
	if in, queued := g.guard.Inside(), g.guard.Queued(); in != 0 || queued != 0 {
		a.wrong("guard", "%s: %d inside, %d queued when all is over", g.name, in, queued)
		return
	}
	if g.places > 0 {
		all := syncx.SyncWeighted(g.guard, func(int) int { return int(g.places) }, flow.Value[int](1))
		if _, err := flow.Run(ctx, all, 0); err != nil {
			a.wrong("guard", "%s: its places can't be taken when all is over: %v", g.name, err)
		}
	}
}
