package syncx_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestSyncPassesValues(t *testing.T) {
	t.Run("G1 input goes in, result comes out", func(t *testing.T) {
		length := step.Map(func(s string) int { return len(s) })
		n, err := flow.Run(context.Background(), syncx.Sync(syncx.NewMutex(1, 0), length), "four")
		if n != 4 || err != nil {
			t.Errorf("got %d, %v", n, err)
		}
	})
	t.Run("G1 also after waiting, and through levels", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(1, -1)
		s := syncx.Sync(m, flow.Then(h.recordedDelay(ms), h.mark("then")))
		a, b := h.start("a", s), h.start("b", s)
		h.Run()
		wantResult(t, a, "a")
		wantResult(t, b, "b")
		h.WantEvents("+a -a then +b -b then")
	})
}

// G1: a section without steps passes its input on. A handler's result doesn't change the input, which branches share.
func TestSyncGate(t *testing.T) {
	h := newHarness(t)
	throttle := syncx.NewThrottle(1, time.Hour, 0)
	gate := syncx.Sync(throttle, flow.Chain[string]())
	first := h.start("a", gate)
	p := join(
		flow.Catch(gate, func(step.Scope, error) step.Next[string] { return step.Succeed("answer ") }),
		step.Map(func(name string) string { return name }),
	)
	second := h.start("b", p)
	h.Run()
	wantResult(t, first, "a")
	wantResult(t, second, "answer b")
}

func TestSyncOrder(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		body         func(h *harness) stringStep
		cancel       bool
		want         string
	}{
		{"value", "leave before the next step",
			func(h *harness) stringStep { return h.mark("body") }, false,
			"enter body leave next"},
		{"error", "the inner handler runs inside, outer ones after leaving",
			func(*harness) stringStep { return plantest.Fail[string, string](errBody) }, false,
			"enter inner!InternalError leave outer!InternalError far!InternalError"},
		{"panic", "as an error",
			func(*harness) stringStep { return step.Map(func(string) string { panic("boom") }) }, false,
			"enter inner!InternalError leave outer!InternalError far!InternalError"},
		{"timeout inside", "the limit's own handler is further in than the guard",
			func(h *harness) stringStep { return flow.Timeout(ms, h.recordedDelay(time.Hour)) }, false,
			"enter +a ~a inner!Timeout leave outer!Timeout far!Timeout"},
		{"timeout outside", "inner handlers aren't asked (C3)",
			func(h *harness) stringStep { return h.recordedDelay(time.Hour) }, false,
			"enter +a ~a leave far!Timeout"},
		{"cancel", "leaf to root, no handler (C1)",
			func(h *harness) stringStep { return h.recordedDelay(time.Hour) }, true,
			"enter +a ~a leave"},
		{"error in sub-steps", "each level is left",
			func(h *harness) stringStep { return flow.Then(h.mark("first"), plantest.Fail[string, string](errBody)) }, false,
			"enter first inner!InternalError leave outer!InternalError far!InternalError"},
	} {
		t.Run("G1 "+c.name, func(t *testing.T) {
			h := newHarness(t)
			m := syncx.NewMutex(1, 0)
			section := syncx.Sync(&recordingGuard{m, h}, h.recordError("inner", c.body(h)))
			s := h.recordError("far", flow.Timeout(time.Minute, flow.Then(h.recordError("outer", section), h.mark("next"))))
			a := h.start("a", s)
			if c.cancel {
				h.Advance(ms)
				a.Cancel(nil)
			}
			h.Run()
			h.WantEvents(c.want)
			wantStats(t, m, 0, 0)
		})
	}
}

func TestSyncLeavesWhileWaiting(t *testing.T) {
	for _, c := range []struct {
		name   string
		around func(s stringStep) stringStep
		cancel bool
		want   error
	}{
		{"cancel", func(s stringStep) stringStep { return s }, true, context.Canceled},
		{"timeout", func(s stringStep) stringStep { return flow.Timeout(ms, s) }, false, fault.Timeout},
		{"error of a sibling", func(s stringStep) stringStep {
			return flow.Then(flow.Par(s, flow.Timeout(ms, step.New(forever))), step.Map(func([]string) string { return "" }))
		}, false, fault.Timeout},
	} {
		t.Run("G1 "+c.name+" while queued: never entered, never left", func(t *testing.T) {
			h := newHarness(t)
			m := syncx.NewMutex(1, -1)
			holder := h.start("holder", syncx.Sync(m, h.recordedDelay(time.Second)))
			waiter := h.start("waiter", c.around(syncx.Sync(&recordingGuard{m, h}, h.recordError("inner", h.recordedDelay(ms)))))
			behind := h.start("behind", syncx.Sync(m, h.recordedDelay(ms)))
			h.Advance(0)
			wantStats(t, m, 1, 2)
			if c.cancel {
				waiter.Cancel(nil)
			}
			h.Advance(2 * ms)
			wantErr(t, waiter, c.want)
			wantStats(t, m, 1, 1)
			h.Run()
			h.WantEvents("+holder queue withdraw -holder +behind -behind")
			wantResult(t, holder, "holder")
			wantResult(t, behind, "behind")
			wantStats(t, m, 0, 0)
		})
	}
}

func forever(as step.Scope, _ string) step.Next[string] { return step.Wait[string](as, nil) }

// A section that is cancelled between its grant and its first step leaves the guard, and its place goes to the next one.
func TestSyncCancelBetweenGrantAndStep(t *testing.T) {
	h := newHarness(t)
	m := syncx.NewMutex(1, -1)
	holder := h.start("holder", syncx.Sync(m, step.New(forever)))
	waiter := h.start("waiter", syncx.Sync(&recordingGuard{m, h}, h.mark("never")))
	behind := h.start("behind", syncx.Sync(m, h.mark("behind")))
	h.Advance(0)
	holder.Cancel(nil)
	for m.Queued() == 2 && h.Step() {
	}
	wantStats(t, m, 1, 1) // waiter has the place already
	waiter.Cancel(nil)
	h.Run()
	h.WantEvents("queue leave behind")
	wantErr(t, waiter, context.Canceled)
	wantResult(t, behind, "behind")
	wantStats(t, m, 0, 0)
}

func TestSyncRejected(t *testing.T) {
	h := newHarness(t)
	m := syncx.NewMutex(1, 0)
	holder := h.start("holder", syncx.Sync(m, h.recordedDelay(ms)))
	late := h.start("late", h.recordError("outer", syncx.Sync(&recordingGuard{m, h}, h.recordError("inner", h.mark("never")))))
	h.Run()
	// G1: an error of Enter isn't given to the handler inside of the section.
	h.WantEvents("+holder rejected outer!DefenseRejected -holder")
	wantErr(t, late, fault.DefenseRejected)
	wantResult(t, holder, "holder")
	wantStats(t, m, 0, 0)
}

func TestSyncHandlerOutsideMayEnter(t *testing.T) {
	h := newHarness(t)
	m := syncx.NewMutex(1, 0)
	again := syncx.Sync(m, h.mark("again"))
	a := h.start("a", flow.Catch(syncx.Sync(m, plantest.Fail[string, string](errBody)), func(as step.Scope, _ error) step.Next[string] {
		return step.Into(as, again, "b")
	}))
	h.Run()
	h.WantEvents("again")
	wantResult(t, a, "b")
	wantStats(t, m, 0, 0)
}

func TestSyncMisuse(t *testing.T) {
	var (
		noMutex    *syncx.Mutex
		noThrottle *syncx.Throttle
		noLimiter  *syncx.Limiter
		pass       = step.Map(func(s string) string { return s })
	)
	for _, c := range []struct {
		name string
		s    stringStep
		info string
	}{
		{"nil guard", syncx.Sync(nil, pass), "Sync: the guard is nil"},
		{"nil stage", syncx.Sync[string, string](syncx.NewMutex(1, 0), nil), "Sync: the stage is nil"},
		{"nil mutex", syncx.Sync(noMutex, pass), "mutex: not made by NewMutex"},
		{"nil throttle", syncx.Sync(noThrottle, pass), "throttle: not made by NewThrottle"},
		{"nil limiter", syncx.Sync(noLimiter, pass), "limiter: not made by NewLimiter"},
		{"zero mutex", syncx.Sync(new(syncx.Mutex), pass), "mutex: not made by NewMutex"},
		{"zero throttle", syncx.Sync(new(syncx.Throttle), pass), "throttle: not made by NewThrottle"},
		{"zero limiter", syncx.Sync(new(syncx.Limiter), pass), "limiter: not made by NewLimiter"},
		{"no place", syncx.Sync(syncx.NewMutex(0, 0), pass), "mutex: the maximum must be at least 1, got 0"},
		{"no entry", syncx.Sync(syncx.NewThrottle(-1, ms, 0), pass), "throttle: the maximum must be at least 1, got -1"},
		{"no period", syncx.Sync(syncx.NewThrottle(1, 0, 0), pass), "throttle: the period must be positive, got 0s"},
		{"bad limits", syncx.Sync(syncx.NewLimiter(syncx.Limits{Concurrent: -2}), pass), "limiter: concurrent: the maximum must be at least 1, got -2"},
		{"bad rate", syncx.Sync(syncx.NewLimiter(syncx.Limits{Rate: -3}), pass), "limiter: rate: the maximum must be at least 1, got -3"},
		{"bad period", syncx.Sync(syncx.NewLimiter(syncx.Limits{Period: -1}), pass), "limiter: rate: the period must be positive, got -1ns"},
		{"a reason without info", syncx.Sync(&illFormed{err: &fault.Error{Code: fault.CommError}}, pass), string(fault.CommError)},
		{"a reason without words", syncx.Sync(&illFormed{err: errors.New("")}, pass), "Sync: the guard isn't well formed"},
		{"not comparable", syncx.Sync(incomparable{}, pass), "Sync: the guard's type isn't comparable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := flow.Of(c.s).Err()
			if !errors.Is(err, fault.InvalidRequest) || fault.InfoOf(err) != c.info {
				t.Errorf("Err is %v, want %q", err, c.info)
			}
			_, err = flow.Run(context.Background(), c.s, "")
			if !errors.Is(err, fault.InvalidRequest) {
				t.Errorf("Run gives %v", err)
			}
		})
	}
}

// incomparable is a guard for which == panics.
type incomparable struct{ _ []string }

func (incomparable) Enter(*syncx.Ticket) (bool, error) { return true, nil }
func (incomparable) Leave(*syncx.Ticket)               {}
func (incomparable) Withdraw(*syncx.Ticket)            {}

type illFormed struct {
	incomparable
	err error
}

func (g *illFormed) Err() error { return g.err }

func TestEnterOfIllFormedGuard(t *testing.T) {
	h := newHarness(t)
	for _, g := range []syncx.Guard{syncx.NewMutex(0, 0), syncx.NewThrottle(0, ms, 0), syncx.NewLimiter(syncx.Limits{Rate: -1})} {
		// recordingGuard hides the Err of g.
		a := h.start("a", syncx.Sync(&recordingGuard{g, h}, h.mark("never")))
		h.Run()
		wantErr(t, a, fault.InvalidRequest)
		h.WantEvents("rejected")
	}
}
