package storm_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/tool"
)

const (
	calmGrace = 2 * time.Millisecond
	never     = time.Hour // a grace that cuts nothing off, even on a loaded machine
)

type broken struct{ law, text string }

// An arena holds what the runs of one scene share.
type arena struct {
	*scene

	home, away *tool.Group // home may be shut down while runs are on it, away only at the end
	gates      []*gate
	memo       *share.Memo[int, int]
	batch      *share.Batch[int, int]
	budget     *retry.Budget
	loads      atomic.Uint64
	texts      sync.Map
	written    atomic.Uint64
	helpers    sync.WaitGroup

	mu     sync.Mutex
	broken []broken
	lives  []*life
}

func (a *arena) wrong(law, format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.broken) < 10 {
		a.broken = append(a.broken, broken{law, fmt.Sprintf(format, args...)})
	}
}

func (a *arena) grace(n *node) time.Duration {
	if a.calm {
		return calmGrace
	}
	return []time.Duration{-1, never}[n.n[1]%2]
}

func (a *arena) rank(g *gate) int { return slices.Index(a.gates, g) }

func (a *arena) live(outer *life, n *node) *life {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := &life{arena: a, number: uint64(len(a.lives)), outer: outer, started: make(chan struct{}), told: make(chan struct{}), visits: make([]atomic.Uint32, a.nodes)}
	l.given = 3000
	if outer != nil {
		l.number = mix(outer.number^uint64(n.id)) | 1<<32
		l.given = min(200, outer.fuel.Load())
	}
	l.fuel.Store(l.given)
	a.lives = append(a.lives, l)
	return l
}

func (l *life) start(ctx context.Context, loop tool.Tool, plan stage) *flow.Running[tok] {
	if l.arena.observed {
		ctx = observe.With(ctx, observe.Func(l.observe))
	}
	l.run = flow.Start(ctx, loop, plan, tok{life: l})
	l.run.Then(l.ended)
	close(l.started)
	return l.run
}

// observe checks that observers are told of as many ends of steps as beginnings, and of nothing after the end of the run.
func (l *life) observe(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
	l.unended.Add(1)
	steps, over := 0, false
	return ctx, func(e observe.Event) {
		if over {
			l.wrong("observer", "%v after the end of the run", e.Kind)
		}
		switch e.Kind {
		case observe.StepStart:
			steps++
		case observe.StepEnd:
			steps--
		case observe.RunEnd:
			over = true
			l.unended.Add(-1)
			if steps != 0 {
				l.wrong("observer", "of %d steps more a beginning than an end was told", steps)
			}
		}
	}
}

// play runs the scene, and returns what was wrong with it and how many runs there were.
func (s *scene) play(patience int) (wrong []broken, runs int) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(s.procs))
	a := &arena{scene: s, budget: retry.NewBudget(0.5, 1)}
	ctx, stop := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() { a.watch(ctx, patience, stop) })
	defer func() {
		stop()
		watching.Wait()
	}()
	before := runtime.NumGoroutine()
	for i, row := range gateMakers {
		a.gates = append(a.gates, row.make(mix(s.seed^uint64(i))))
	}
	grace := never
	if s.calm {
		grace = calmGrace
	}
	options := tool.Options{Grace: grace, OnError: a.reported}
	a.home, a.away = tool.NewGroup(s.loops, options), tool.NewGroup(1, options)
	a.shares()
	plan := (&builder{a}).plan(s.plan, place{root: true})
	if err := flow.Of(plan).Err(); err != nil {
		a.wrong("plan", "the plan can't be run: %v", err)
		a.shut(context.Background())
		return a.broken, 0
	}
	set := flow.WithOptions(ctx, options)
	for i := range s.lives {
		a.begin(set, i, plan)
	}
	if a.shutdown != open {
		a.elsewhere(mix(s.seed), func() { a.close(ctx) })
	}
	if a.wait(ctx) {
		a.end(ctx, before)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.broken, len(a.lives)
}

// begin starts run i, perhaps with a limit or a cancel.
func (a *arena) begin(ctx context.Context, i int, plan stage) {
	l := a.live(nil, nil)
	r := mix(a.seed ^ uint64(i)<<20)
	ctx = context.WithoutCancel(ctx)
	later := func(fn func()) {
		a.elsewhere(r, func() {
			spin(time.Duration(r>>16%3000) * time.Microsecond)
			fn()
		})
	}
	what := r >> 8 % 8
	if a.calm {
		what = 0
	}
	switch what {
	case 1:
		defer l.cancel()
	case 2, 3, 4:
		later(l.cancel)
	case 5:
		var stop context.CancelFunc
		l.limited = true
		ctx, stop = context.WithTimeout(ctx, time.Duration(r>>16%3000)*time.Microsecond)
		l.closers = append(l.closers, stop)
	case 6:
		c, stop := context.WithCancelCause(ctx)
		ctx = c
		later(func() { stop(errCancel) })
	}
	l.start(ctx, a.home.Next(), plan)
}

func (a *arena) close(ctx context.Context) {
	if a.shutdown == impatient {
		c, stop := context.WithTimeout(ctx, time.Duration(a.seed%3000)*time.Microsecond)
		defer stop()
		ctx = c
	}
	_ = a.home.Shutdown(ctx)
}

// wait waits for all runs, and reports whether they have ended.
func (a *arena) wait(ctx context.Context) bool {
	for i := 0; ; i++ {
		a.mu.Lock()
		if i == len(a.lives) {
			a.mu.Unlock()
			return true
		}
		l := a.lives[i]
		a.mu.Unlock()
		select {
		case <-l.started:
		case <-ctx.Done():
		}
		if _, err := l.run.Wait(ctx); ctx.Err() != nil {
			stacks := make([]byte, 1<<16)
			stacks = stacks[:runtime.Stack(stacks, true)]
			a.wrong("hang", "run %d doesn't end: %v; %s\n%s", l.number, err, a.occupied(), stacks)
			return false
		}
	}
}

// occupied describes who is in the gates.
func (a *arena) occupied() (text string) {
	for _, g := range a.gates {
		if g.keyed != nil {
			busy, _ := g.keyed.Guards()
			text += fmt.Sprintf("%s: %d keys; ", g.name, busy)
		} else {
			text += fmt.Sprintf("%s: %d inside, %d queued; ", g.name, g.guard.Inside(), g.guard.Queued())
		}
	}
	return text
}

func (a *arena) end(ctx context.Context, goroutines int) {
	if a.shut(ctx); ctx.Err() != nil {
		a.wrong("hang", "the loops don't end; %s", a.occupied())
		return
	}
	for _, l := range a.lives {
		for _, closer := range l.closers {
			closer()
		}
	}
	a.helpers.Wait()
	for _, l := range a.lives {
		<-l.told
		l.check()
	}
	for _, g := range a.gates {
		g.rested(ctx, a)
	}
	if calls, retries := a.budget.InUse(); calls != 0 || retries != 0 {
		a.wrong("budget", "%d calls and %d retries are in use when all is over", calls, retries)
	}
	for tries, pause := 0, time.Microsecond; runtime.NumGoroutine() > goroutines; tries, pause = tries+1, min(2*pause, tick) {
		if tries == hang {
			stacks := make([]byte, 1<<16)
			a.wrong("leak", "%d goroutines are left\n%s", runtime.NumGoroutine()-goroutines, stacks[:runtime.Stack(stacks, true)])
			return
		}
		<-time.After(pause)
	}
}

func (a *arena) shut(ctx context.Context) {
	_ = a.home.Shutdown(ctx)
	_ = a.away.Shutdown(ctx)
}
