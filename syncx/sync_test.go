package syncx_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
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
		r := newRig(t)
		m := syncx.NewMutex(1, -1)
		s := syncx.Sync(m, flow.Then(r.stay(ms), r.mark("then")))
		a, b := r.start("a", s), r.start("b", s)
		r.Run()
		wantResult(t, a, "a")
		wantResult(t, b, "b")
		r.want("+a -a then +b -b then")
	})
}

// G1: a section without steps only waits for its guard. The result of a handler around it doesn't change the input,
// which parallel steps share.
func TestSyncGate(t *testing.T) {
	r := newRig(t)
	h := syncx.NewThrottle(1, time.Hour, 0)
	gate := syncx.Sync(h, flow.Chain[string]())
	first := r.start("a", gate)
	p := join(
		flow.Catch(gate, func(step.Scope, error) step.Next[string] { return step.Succeed("answer ") }),
		step.Map(func(name string) string { return name }),
	)
	second := r.start("b", p)
	r.Run()
	wantResult(t, first, "a")
	wantResult(t, second, "answer b")
}

// G1: the order in which body, handlers and guard are left, for each way to end.
func TestSyncOrder(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		body         func(r *rig) str
		cancel       bool
		want         string
	}{
		{"value", "leave before the next step",
			func(r *rig) str { return r.mark("body") }, false,
			"enter body leave next"},
		{"error", "the inner handler runs inside, outer ones after leaving",
			func(*rig) str { return fails(errBody) }, false,
			"enter inner!InternalError leave outer!InternalError far!InternalError"},
		{"panic", "as an error",
			func(*rig) str { return step.Map(func(string) string { panic("boom") }) }, false,
			"enter inner!InternalError leave outer!InternalError far!InternalError"},
		{"timeout inside", "the limit's own handler is further in than the guard",
			func(r *rig) str { return flow.Timeout(ms, r.stay(time.Hour)) }, false,
			"enter +a ~a inner!Timeout leave outer!Timeout far!Timeout"},
		{"timeout outside", "inner handlers aren't asked (C3)",
			func(r *rig) str { return r.stay(time.Hour) }, false,
			"enter +a ~a leave far!Timeout"},
		{"cancel", "leaf to root, no handler (C1)",
			func(r *rig) str { return r.stay(time.Hour) }, true,
			"enter +a ~a leave"},
		{"error in sub-steps", "each level is left",
			func(r *rig) str { return flow.Then(r.mark("first"), fails(errBody)) }, false,
			"enter first inner!InternalError leave outer!InternalError far!InternalError"},
	} {
		t.Run("G1 "+c.name, func(t *testing.T) {
			r := newRig(t)
			m := syncx.NewMutex(1, 0)
			section := syncx.Sync(&noting{m, r}, r.caught("inner", c.body(r)))
			s := r.caught("far", flow.Timeout(time.Minute, flow.Then(r.caught("outer", section), r.mark("next"))))
			a := r.start("a", s)
			if c.cancel {
				r.Advance(ms)
				a.Cancel(nil)
			}
			r.Run()
			r.want(c.want)
			wantStats(t, m, 0, 0)
		})
	}
}

func TestSyncLeavesWhileWaiting(t *testing.T) {
	for _, c := range []struct {
		name   string
		around func(s str) str
		cancel bool
		want   error
	}{
		{"cancel", func(s str) str { return s }, true, context.Canceled},
		{"timeout", func(s str) str { return flow.Timeout(ms, s) }, false, fault.Timeout},
		{"error of a sibling", func(s str) str {
			return flow.Then(flow.Par(s, flow.Timeout(ms, step.New(forever))), step.Map(func([]string) string { return "" }))
		}, false, fault.Timeout},
	} {
		t.Run("G1 "+c.name+" while queued: never entered, never left", func(t *testing.T) {
			r := newRig(t)
			m := syncx.NewMutex(1, -1)
			holder := r.start("holder", syncx.Sync(m, r.stay(time.Second)))
			waiter := r.start("waiter", c.around(syncx.Sync(&noting{m, r}, r.caught("inner", r.stay(ms)))))
			behind := r.start("behind", syncx.Sync(m, r.stay(ms)))
			r.Advance(0)
			wantStats(t, m, 1, 2)
			if c.cancel {
				waiter.Cancel(nil)
			}
			r.Advance(2 * ms)
			wantErr(t, waiter, c.want)
			wantStats(t, m, 1, 1)
			r.Run()
			r.want("+holder queue withdraw -holder +behind -behind")
			wantResult(t, holder, "holder")
			wantResult(t, behind, "behind")
			wantStats(t, m, 0, 0)
		})
	}
}

func forever(as step.Scope, _ string) step.Next[string] { return step.Wait[string](as, nil) }

// If a run is cancelled after Grant, before the step has gone on, the section was let in, so it leaves and its place
// goes to the next one.
func TestSyncCancelBetweenGrantAndStep(t *testing.T) {
	r := newRig(t)
	m := syncx.NewMutex(1, -1)
	holder := r.start("holder", syncx.Sync(m, step.New(forever)))
	waiter := r.start("waiter", syncx.Sync(&noting{m, r}, r.mark("never")))
	behind := r.start("behind", syncx.Sync(m, r.mark("behind")))
	r.Advance(0)
	holder.Cancel(nil)
	for m.Queued() == 2 && r.Step() {
	}
	wantStats(t, m, 1, 1) // the waiting flow has the place already
	waiter.Cancel(nil)
	r.Run()
	r.want("queue leave behind")
	wantErr(t, waiter, context.Canceled)
	wantResult(t, behind, "behind")
	wantStats(t, m, 0, 0)
}

func TestSyncRejected(t *testing.T) {
	r := newRig(t)
	m := syncx.NewMutex(1, 0)
	holder := r.start("holder", syncx.Sync(m, r.stay(ms)))
	late := r.start("late", r.caught("outer", syncx.Sync(&noting{m, r}, r.caught("inner", r.mark("never")))))
	r.Run()
	// G1: an error of Enter isn't given to the handler inside of the section.
	r.want("+holder rejected outer!DefenseRejected -holder")
	wantErr(t, late, fault.DefenseRejected)
	wantResult(t, holder, "holder")
	wantStats(t, m, 0, 0)
}

// A handler around Sync may enter the guard again, which has been left by then.
func TestSyncHandlerOutsideMayEnter(t *testing.T) {
	r := newRig(t)
	m := syncx.NewMutex(1, 0)
	again := syncx.Sync(m, r.mark("again"))
	a := r.start("a", flow.Catch(syncx.Sync(m, fails(errBody)), func(as step.Scope, _ error) step.Next[string] {
		return step.Into(as, again, "b")
	}))
	r.Run()
	r.want("again")
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
		s    str
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

// incomparable is a guard of a type that == panics for.
type incomparable struct{ _ []string }

func (incomparable) Enter(*syncx.Ticket) (bool, error) { return true, nil }
func (incomparable) Leave(*syncx.Ticket)               {}
func (incomparable) Withdraw(*syncx.Ticket)            {}

// illFormed is a guard whose Err returns an error.
type illFormed struct {
	incomparable
	err error
}

func (g *illFormed) Err() error { return g.err }

// A guard that isn't well formed rejects flows also if it is called without Sync.
func TestEnterOfIllFormedGuard(t *testing.T) {
	r := newRig(t)
	for _, g := range []syncx.Guard{syncx.NewMutex(0, 0), syncx.NewThrottle(0, ms, 0), syncx.NewLimiter(syncx.Limits{Rate: -1})} {
		// noting hides the Err of g.
		a := r.start("a", syncx.Sync(&noting{g, r}, r.mark("never")))
		r.Run()
		wantErr(t, a, fault.InvalidRequest)
		r.want("rejected")
	}
}
