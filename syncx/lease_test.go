package syncx_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

var errStolen = errors.New("somebody else holds it")

type leasedMutex struct {
	syncx.Guard
	r      *harness
	mutex  *syncx.Mutex
	given  []syncx.Lease
	fence  uint64
	refuse error  // if not nil, each new lease is lost at once, for this reason
	leave  func() // called in Leave
	panics func() // called in Lease
}

func newLeased(h *harness) *leasedMutex {
	m := syncx.NewMutex(1, -1)
	return &leasedMutex{Guard: m, r: h, mutex: m, leave: func() {}, panics: func() {}}
}

func (g *leasedMutex) Lease(_ *syncx.Ticket, l syncx.Lease) uint64 {
	g.panics()
	if g.refuse != nil {
		l.Lose(g.refuse)
	}
	g.given = append(g.given, l)
	g.fence++
	return g.fence
}

func (g *leasedMutex) Leave(t *syncx.Ticket) {
	g.r.Recordf("leave")
	g.leave()
	g.Guard.Leave(t)
}

func (g *leasedMutex) last() syncx.Lease { return g.given[len(g.given)-1] }

// fence returns a step that notes its section's fence.
func (h *harness) fence() stringStep {
	return step.Func(func(as step.Scope, name string) (string, error) {
		h.Recordf("%s=%d", name, syncx.Fence(as.Context()))
		return name, nil
	})
}

func TestG9FenceIsSeenInTheSection(t *testing.T) {
	h := newHarness(t)
	g := newLeased(h)
	whole := flow.Then(h.fence(), syncx.Sync(g, flow.Then(h.fence(),
		flow.Then(syncx.Sync(syncx.NewMutex(1, 0), h.fence()),
			flow.Then(syncx.Sync(g, h.fence()), h.fence())))))
	after := flow.Then(whole, h.fence())
	h.start("a", after)
	h.start("b", after)
	h.Run()
	// A re-entry is left too, but has no lease of its own.
	h.WantEvents("a=0 a=1 a=1 a=1 leave a=1 leave a=0 b=0 b=2 b=2 b=2 leave b=2 leave b=0")
	if g.fence != 2 {
		t.Errorf("%d leases", g.fence)
	}
}

func TestG9FenceReachesBranchesAndGoroutines(t *testing.T) {
	h := newHarness(t)
	outer, inner := newLeased(h), newLeased(h)
	inner.fence = 40
	body := step.Await(func(ctx context.Context, name string) (uint64, error) { return syncx.Fence(ctx), nil })
	plan := syncx.Sync(outer, flow.Par(body, syncx.Sync(inner, body)))
	got, err := flow.Run(t.Context(), plan, "")
	if err != nil || !slices.Equal(got, []uint64{1, 41}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// observedSection has a hook, a cleanup and a handler inside, and a handler outside. Each notes its call.
func observedSection(h *harness, g syncx.Guard, ctx *context.Context) stringStep {
	body := step.New(func(as step.Scope, name string) step.Next[string] {
		*ctx = as.Context()
		step.StackCleanup(as, func(*int) { h.Recordf("cleanup") })
		return step.Into(as, h.recordedDelay(10*ms), name)
	})
	return h.recordError("outside", syncx.Sync(g, h.recordError("inside", body)))
}

// G9: an eviction cancels the steps inside, calls no handler inside, and fails the section.
func TestG9Eviction(t *testing.T) {
	h := newHarness(t)
	g := newLeased(h)
	var ctx context.Context
	a := h.start("a", observedSection(h, g, &ctx))
	b := h.start("b", syncx.Sync(g, h.fence()))
	h.Advance(5 * ms)
	h.WantEvents("+a")
	l := g.last()
	if !l.Live() || !l.Lose(errStolen) {
		t.Error("the lease isn't live")
	}
	if l.Live() || l.Lose(nil) {
		t.Error("the lease is live after its loss")
	}
	h.Run()
	h.WantEvents("~a cleanup leave outside!LeaseLost b=2 leave")
	for what, err := range map[string]error{"result": resultErr(a), "cause": context.Cause(ctx)} {
		if !errors.Is(err, syncx.LeaseLost) || !errors.Is(err, errStolen) || fault.CodeOf(err) != syncx.LeaseLost {
			t.Errorf("%s: %v", what, err)
		}
	}
	wantResult(t, b, "b")
	wantStats(t, g.mutex, 0, 0)
}

func resultErr(r run) error {
	_, err := r.Result()
	return err
}

func TestG9EvictionBeforeTheFirstStep(t *testing.T) {
	h := newHarness(t)
	g := newLeased(h)
	g.refuse = errStolen
	plan := h.recordError("", syncx.Sync(g, h.mark("never")))
	h.start("a", plan)
	h.start("b", plan)
	h.Run()
	h.WantEvents("leave !LeaseLost leave !LeaseLost")
	wantStats(t, g.mutex, 0, 0)
}

// The lease of a section that was left doesn't evict the next section, which may use the same memory.
func TestG9EvictionAfterLeave(t *testing.T) {
	h := newHarness(t)
	g := newLeased(h)
	plan := syncx.Sync(g, h.recordedDelay(ms))
	for range 3 {
		h.start("a", plan)
		h.Run()
	}
	old := slices.Clone(g.given)
	b := h.start("b", plan)
	h.Advance(0)
	for _, l := range old {
		if l.Live() || l.Lose(errStolen) {
			t.Error("the lease of a section that was left is live")
		}
	}
	h.Run()
	wantResult(t, b, "b")
	if (syncx.Lease{}).Lose(errStolen) || (syncx.Lease{}).Live() {
		t.Error("the zero Lease is live")
	}
}

// G9: an eviction fails a section that would go on with a further step. One that comes while the section ends, or later,
// changes nothing.
func TestG9EvictionWhileLeaving(t *testing.T) {
	for _, c := range []struct {
		name   string
		plan   func(h *harness, g *leasedMutex, evict func()) stringStep
		code   fault.Code
		happen string
	}{
		{"in the body that succeeds", func(_ *harness, g *leasedMutex, evict func()) stringStep {
			return syncx.Sync(g, step.Func(func(_ step.Scope, in string) (string, error) { evict(); return in, nil }))
		}, "", "lost:true leave"},
		{"in a step before the last", func(h *harness, g *leasedMutex, evict func()) stringStep {
			return syncx.Sync(g, flow.Then(step.Func(func(_ step.Scope, in string) (string, error) { evict(); return in, nil }), h.mark("never")))
		}, syncx.LeaseLost, "lost:true leave"},
		{"in the body that fails", func(_ *harness, g *leasedMutex, evict func()) stringStep {
			return syncx.Sync(g, step.Func(func(_ step.Scope, in string) (string, error) { evict(); return "", errBody }))
		}, fault.InternalError, "lost:true leave"},
		{"in a handler inside", func(_ *harness, g *leasedMutex, evict func()) stringStep {
			return syncx.Sync(g, flow.Then(flow.Catch(plantest.Fail[string, string](errBody), func(step.Scope, error) step.Next[string] {
				evict()
				return step.Succeed("")
			}), step.Map(func(in string) string { return in })))
		}, syncx.LeaseLost, "lost:true leave"},
		{"in a hook inside", func(_ *harness, g *leasedMutex, evict func()) stringStep {
			return syncx.Sync(g, step.New(func(as step.Scope, _ string) step.Next[string] {
				as.SetCancel(evict)
				return step.Into(as, plantest.Fail[string, string](errBody), "")
			}))
		}, fault.InternalError, "lost:true leave"},
		{"in Leave", func(_ *harness, g *leasedMutex, evict func()) stringStep {
			g.leave = evict
			return syncx.Sync(g, step.Map(func(in string) string { return in }))
		}, "", "leave lost:false"},
		{"in Leave after an error", func(_ *harness, g *leasedMutex, evict func()) stringStep {
			g.leave = evict
			return syncx.Sync(g, plantest.Fail[string, string](errBody))
		}, fault.InternalError, "leave lost:false"},
		{"in Leave after an eviction", func(_ *harness, g *leasedMutex, evict func()) stringStep {
			g.refuse, g.leave = errStolen, evict
			return syncx.Sync(g, plantest.Fail[string, string](errBody))
		}, syncx.LeaseLost, "leave lost:false"},
		{"in the handler outside", func(h *harness, g *leasedMutex, evict func()) stringStep {
			return flow.Catch(syncx.Sync(g, plantest.Fail[string, string](errBody)), func(step.Scope, error) step.Next[string] {
				evict()
				return step.Succeed("")
			})
		}, "", "leave lost:false"},
		{"while a break leaves it", func(h *harness, g *leasedMutex, evict func()) stringStep {
			section := syncx.Sync(g, step.New(func(as step.Scope, _ string) step.Next[string] {
				as.SetCancel(evict)
				return step.Into(as, step.New(func(as step.Scope, in string) step.Next[string] { return loopx.Break[string]() }), "")
			}))
			return flow.Then(loopx.Loop(section), h.mark("after"))
		}, "", "lost:true leave after"},
		{"while it is cancelled by a limit", func(_ *harness, g *leasedMutex, evict func()) stringStep {
			return flow.Timeout(ms, syncx.Sync(g, step.New(func(as step.Scope, _ string) step.Next[string] {
				as.SetCancel(evict)
				return step.Wait(as, func(step.Done[string]) {})
			})))
		}, fault.Timeout, "lost:true leave"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t)
			g := newLeased(h)
			a := h.start("a", c.plan(h, g, func() { h.Recordf("lost:%v", g.last().Lose(errStolen)) }))
			h.Run()
			h.WantEvents(c.happen)
			if err := resultErr(a); c.code == "" && err != nil || c.code != "" && fault.CodeOf(err) != c.code {
				t.Errorf("ended with %v, want %q", err, c.code)
			}
			wantStats(t, g.mutex, 0, 0)
		})
	}
}

func TestG9EvictionAndBranches(t *testing.T) {
	h := newHarness(t)
	outer, inner := newLeased(h), newLeased(h)
	plan := func() stringStep {
		return flow.Then(syncx.Sync(outer, flow.Par(syncx.Sync(inner, h.recordedDelay(10*ms)), h.recordedDelay(20*ms))), step.Map(func([]string) string { return "" }))
	}
	h.start("a", h.recordError("", plan()))
	h.Advance(ms)
	inner.last().Lose(errStolen)
	h.Run()
	h.WantEvents("+a +a ~a leave ~a leave !LeaseLost")
	h.start("b", h.recordError("", plan()))
	h.Advance(ms)
	inner.last().Lose(errStolen)
	outer.last().Lose(errStolen)
	h.Run()
	h.WantEvents("+b +b ~b leave ~b leave !LeaseLost")
	wantStats(t, inner.mutex, 0, 0)
	wantStats(t, outer.mutex, 0, 0)
}

func TestG9EvictionAndCancel(t *testing.T) {
	h := newHarness(t)
	g := newLeased(h)
	a := h.start("a", h.recordError("", syncx.Sync(g, h.recordedDelay(10*ms))))
	h.Advance(ms)
	g.last().Lose(errStolen)
	a.Cancel(nil)
	h.Run()
	h.WantEvents("+a ~a leave")
	wantErr(t, a, fault.Cancelled)
}

func TestG9EvictionOfAGoroutine(t *testing.T) {
	h := newHarness(t)
	g := newLeased(h)
	heard := make(chan error, 1)
	began := make(chan struct{})
	plan := syncx.Sync(g, step.Await(func(ctx context.Context, in string) (string, error) {
		close(began)
		<-ctx.Done()
		heard <- context.Cause(ctx)
		return in, ctx.Err()
	}))
	go func() {
		<-began
		g.last().Lose(errStolen)
	}()
	_, err := flow.Run(t.Context(), plan, "a")
	if !errors.Is(err, syncx.LeaseLost) || !errors.Is(<-heard, errStolen) {
		t.Errorf("ended with %v", err)
	}
}

func TestG9EvictionIsNoFailureOfInnerSections(t *testing.T) {
	h := newHarness(t)
	g, inner := newLeased(h), &learningGuard{syncx.NewMutex(1, 0), h}
	outer := &learningGuard{syncx.NewMutex(1, 0), h}
	h.start("a", syncx.Sync(outer, syncx.Sync(g, syncx.Sync(inner, h.recordedDelay(10*ms)))))
	h.Advance(3 * ms)
	g.last().Lose(errStolen)
	h.Run()
	h.WantEvents("+a ~a cancelled@3 leave leave LeaseLost@3 leave")
}

func TestG9LimitAfterAnEviction(t *testing.T) {
	h := newHarness(t)
	g, inner := newLeased(h), &learningGuard{syncx.NewMutex(1, 0), h}
	h.start("a", flow.Catch(syncx.Sync(g, h.recordedDelay(10*ms)), func(as step.Scope, _ error) step.Next[string] {
		as.SetTimeout(2 * ms)
		return step.Into(as, syncx.Sync(inner, h.recordedDelay(10*ms)), "b")
	}))
	h.Advance(ms)
	g.last().Lose(errStolen)
	h.Run()
	h.WantEvents("+a ~a leave +b ~b outer:Timeout@2 leave")
}

func TestG9LeasePanics(t *testing.T) {
	h := newHarness(t)
	g := newLeased(h)
	g.panics = func() { panic("no lease") }
	a := h.start("a", syncx.Sync(g, h.mark("never")))
	h.Run()
	h.WantEvents("leave")
	if fault.CodeOf(resultErr(a)) != fault.InternalError {
		t.Errorf("ended with %v", resultErr(a))
	}
	wantStats(t, g.mutex, 0, 0)
}

func TestG9ObserverEndsItsGoroutine(t *testing.T) {
	for name, sibling := range map[string]func(h *harness) stringStep{
		"a sibling waits":   func(h *harness) stringStep { return h.recordError("sibling", h.recordedDelay(10*ms)) },
		"a sibling is done": func(h *harness) stringStep { return h.mark("done") },
		"there is no other": nil,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			g := newLeased(h)
			ctx := observe.With(t.Context(), observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
				return ctx, func(e observe.Event) {
					if e.Kind == observe.Raised {
						runtime.Goexit()
					}
				}
			}))
			branches := []stringStep{syncx.Sync(g, h.recordedDelay(10*ms))}
			if sibling != nil {
				branches = append(branches, sibling(h))
			}
			a := flow.Start(ctx, h.Loop, flow.Par(branches...), "a")
			h.Advance(ms)
			g.last().Lose(errStolen)
			var other sync.WaitGroup
			for range 2 {
				other.Go(func() { h.Run() })
				other.Wait()
			}
			_, err := a.Result()
			e, ok := errors.AsType[*fault.Error](err)
			if !ok || e.Code != syncx.LeaseLost || len(e.Secondary) != 1 {
				t.Errorf("ended with %v, want LeaseLost and the end of the goroutine", err)
			}
			wantStats(t, g.mutex, 0, 0)
		})
	}
}
