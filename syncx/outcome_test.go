package syncx_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// learningGuard notes the outcomes of its sections.
type learningGuard struct {
	*syncx.Mutex
	r *harness
}

func (g *learningGuard) Learn(_ *syncx.Ticket, o syncx.Outcome) {
	how := "ok"
	switch {
	case o.Cancelled:
		how = "cancelled"
	case o.Err != nil:
		how = string(fault.CodeOf(o.Err))
	}
	if o.Outer {
		how = "outer:" + how
	}
	g.r.Recordf("%s@%d", how, o.Took/ms)
}

func (g *learningGuard) Leave(t *syncx.Ticket) {
	g.r.Recordf("leave")
	g.Mutex.Leave(t)
}

type callingLearner struct {
	*syncx.Mutex
	learn func()
}

func (g *callingLearner) Learn(*syncx.Ticket, syncx.Outcome) { g.learn() }

func TestG1LearnBreaksOff(t *testing.T) {
	for what, learn := range map[string]func(){"panic": func() { panic("no") }, "Goexit": runtime.Goexit} {
		for _, err := range []error{nil, errBody} {
			l := tool.Start(tool.Options{OnError: func(error) {}})
			g := &callingLearner{syncx.NewMutex(1, 0), learn}
			_, _ = flow.Start(t.Context(), l, syncx.Sync(g, plantest.Fail[string, string](err)), "").Wait(t.Context())
			if n := g.Inside(); n != 0 {
				t.Errorf("%s after %v: %d inside", what, err, n)
			}
			if err := l.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
}

var errTimely = fault.New(fault.Timeout, "an error of the step's own")

func TestG6Outcome(t *testing.T) {
	for reason, c := range map[string]struct {
		plan func(h *harness, g *learningGuard) stringStep
		want string
	}{
		"a value": {func(h *harness, g *learningGuard) stringStep { return syncx.Sync(g, quiet(h, 5*ms)) }, "ok@5 leave"},
		"an error": {func(_ *harness, g *learningGuard) stringStep {
			return syncx.Sync(g, plantest.Fail[string, string](fault.New("Down", "")))
		},
			"Down@0 leave"},
		"a handler inside answers": {func(_ *harness, g *learningGuard) stringStep {
			return syncx.Sync(g, flow.Catch(plantest.Fail[string, string](errBody), func(step.Scope, error) step.Next[string] { return step.Succeed("") }))
		}, "ok@0 leave"},
		"a panic": {func(_ *harness, g *learningGuard) stringStep {
			return syncx.Sync(g, step.Map(func(string) string { panic("no") }))
		}, "InternalError@0 leave"},
		"L1 a break": {func(_ *harness, g *learningGuard) stringStep {
			return loopx.Loop(syncx.Sync(g, step.New(func(step.Scope, string) step.Next[string] { return loopx.Break[string]() })))
		}, "ok@0 leave"},
		"C3 a limit inside": {func(h *harness, g *learningGuard) stringStep {
			return syncx.Sync(g, flow.Timeout(3*ms, quiet(h, 5*ms)))
		},
			"Timeout@3 leave"},
		"C3 a limit around": {func(h *harness, g *learningGuard) stringStep {
			return flow.Timeout(3*ms, syncx.Sync(g, quiet(h, 5*ms)))
		},
			"outer:Timeout@3 leave"},
		"C3 a limit around the branches": {func(h *harness, g *learningGuard) stringStep {
			return flow.Timeout(3*ms, join(join(syncx.Sync(g, quiet(h, 5*ms))), quiet(h, 5*ms)))
		}, "outer:Timeout@3 leave"},
		"P3 a branch beside it fails, even with that code": {func(h *harness, g *learningGuard) stringStep {
			return join(syncx.Sync(g, quiet(h, 5*ms)), flow.Then(quiet(h, 3*ms), plantest.Fail[string, string](errTimely)))
		}, "cancelled@3 leave"},
		"P3 a limit in a branch beside it": {func(h *harness, g *learningGuard) stringStep {
			return join(syncx.Sync(g, quiet(h, 5*ms)), flow.Timeout(3*ms, quiet(h, 5*ms)))
		}, "cancelled@3 leave"},
		"P5 a branch beside it breaks": {func(h *harness, g *learningGuard) stringStep {
			return loopx.Loop(join(syncx.Sync(g, quiet(h, 5*ms)), flow.Then(quiet(h, 3*ms),
				step.New(func(step.Scope, string) step.Next[string] { return loopx.Break[string]() }))))
		}, "cancelled@3 leave"},
		"P6 it loses a race": {func(h *harness, g *learningGuard) stringStep {
			return flow.First(syncx.Sync(g, quiet(h, 5*ms)), quiet(h, 3*ms))
		}, "cancelled@3 leave"},
		"P6 it wins a race": {func(h *harness, g *learningGuard) stringStep {
			return flow.First(syncx.Sync(g, quiet(h, 3*ms)), quiet(h, 5*ms))
		}, "ok@3 leave"},
		"C1 the run is cancelled": {func(h *harness, g *learningGuard) stringStep { return syncx.Sync(g, quiet(h, time.Hour)) },
			"cancelled@1000 leave"},
		"the wait for entry isn't counted": {func(h *harness, g *learningGuard) stringStep {
			return join(syncx.Sync(g, quiet(h, 5*ms)), syncx.Sync(g, quiet(h, 3*ms)))
		}, "ok@5 leave ok@3 leave"},
		"one that was never let in": {func(h *harness, g *learningGuard) stringStep {
			return join(syncx.Sync(g, quiet(h, 5*ms)), flow.Catch(flow.Timeout(ms, syncx.Sync(g, quiet(h, 3*ms))),
				func(step.Scope, error) step.Next[string] { return step.Succeed("") }))
		}, "ok@5 leave"},
	} {
		t.Run(reason, func(t *testing.T) {
			h := newHarness(t)
			g := &learningGuard{syncx.NewMutex(1, -1), h}
			run := h.start("a", c.plan(h, g))
			h.Advance(time.Second)
			run.Cancel(nil)
			h.Run()
			h.WantEvents(c.want)
			wantStats(t, g, 0, 0)
		})
	}
}

func TestG6OutcomeOfAContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for want, end := range map[string]func() (context.Context, context.CancelFunc){
			"outer:DeadlineExceeded@5 leave": func() (context.Context, context.CancelFunc) {
				return context.WithTimeoutCause(t.Context(), 5*ms, fault.New("DeadlineExceeded", ""))
			},
			"cancelled@5 leave": func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(5*ms, cancel)
				return ctx, cancel
			},
		} {
			h := newHarness(t)
			g := &learningGuard{syncx.NewMutex(1, 0), h}
			ctx, cancel := end()
			silent := step.New(func(as step.Scope, _ string) step.Next[string] { return step.Wait[string](as, nil) })
			if _, err := flow.Run(ctx, syncx.Sync(g, silent), "a"); err == nil {
				t.Error("no error")
			}
			cancel()
			h.WantEvents(want)
		}
	})
}

type panickingLearner struct{ *syncx.Mutex }

func (panickingLearner) Learn(*syncx.Ticket, syncx.Outcome) { panic("stern") }

func TestE4LearnPanics(t *testing.T) {
	h := newHarness(t)
	g := panickingLearner{syncx.NewMutex(1, 0)}
	plan := syncx.Sync(g, h.mark("in"))
	for range 2 {
		a := h.start("a", plan)
		h.Run()
		wantErr(t, a, fault.InternalError)
	}
	h.WantEvents("in in")
}
