package syncx_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// breaking is a user's guard around a mutex. It panics once, before or after a call of the mutex: where says which, as in
// "before Enter".
type breaking struct {
	syncx.Mutex
	inner  *syncx.Mutex
	where  string
	panics bool
	loops  []tool.Tool
}

func (g *breaking) at(where string) {
	if g.panics && g.where == where {
		g.panics = false
		panic("boom")
	}
}

func (g *breaking) Enter(t *syncx.Ticket) (bool, error) {
	g.loops = append(g.loops, t.Loop())
	g.at("before Enter")
	defer g.at("after Enter")
	return g.inner.Enter(t)
}

func (g *breaking) Leave(t *syncx.Ticket) {
	g.at("before Leave")
	defer g.at("after Leave")
	g.inner.Leave(t)
}

func (g *breaking) Withdraw(t *syncx.Ticket) { g.inner.Withdraw(t) }

// Err makes syncx.Sync accept the guard: the embedded Mutex isn't used.
func (g *breaking) Err() error { return nil }

// E4: a panic of a guard keeps at most one place of the mutex. The tickets of later runs of the plan give the loops of these
// runs.
func TestE4GuardPanics(t *testing.T) {
	for _, where := range []string{"before Enter", "after Enter", "before Leave", "after Leave"} {
		t.Run(where, func(t *testing.T) {
			g := &breaking{inner: syncx.NewMutex(4, 0), where: where, panics: true}
			plan := syncx.Sync(g, syncx.Sync(syncx.NewMutex(1, 0), step.Map(func(s string) string { return s })))
			first := newHarness(t)
			a := first.start("a", plan)
			first.Run()
			if _, err := a.Result(); fault.CodeOf(err) != fault.InternalError {
				t.Errorf("ended with %v", err)
			}
			for range 3 {
				next := newHarness(t)
				b := next.start("b", plan)
				next.Run()
				wantResult(t, b, "b")
				if got := g.loops[len(g.loops)-1]; got != tool.Tool(next.Loop) {
					t.Error("the ticket gives the loop of another run")
				}
			}
			kept := 0
			if where == "after Enter" || where == "before Leave" {
				kept = 1
			}
			wantStats(t, g.inner, kept, 0)
		})
	}
}

func TestGuardWhoseErrPanics(t *testing.T) {
	p := syncx.Sync(brokenContext{}, step.Map(func(i int) int { return i }))
	if err := p.Err(); !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("got %v", err)
	}
}

type brokenContext struct{ syncx.Guard }

func (brokenContext) Err() error { panic("no answer") }

// hasty calls Leave for a ticket that its mutex has queued, which Leave says does nothing.
type hasty struct{ *syncx.Mutex }

func (g hasty) Enter(t *syncx.Ticket) (bool, error) {
	entered, err := g.Mutex.Enter(t)
	if !entered {
		g.Leave(t)
	}
	return entered, err
}

func TestLeaveOfAQueuedTicket(t *testing.T) {
	h := newHarness(t)
	m, other := syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)
	h.outcome("holder", syncx.Sync(m, flow.Then(quiet(h, 10*ms), syncx.Sync(other, h.mark("in-both")))))
	h.Advance(ms)
	h.outcome("hasty", syncx.Sync(other, syncx.Sync(hasty{m}, h.mark("in"))))
	h.Run()
	h.WantEvents("holder!Deadlock in hasty")
	wantStats(t, m, 0, 0)
	wantStats(t, other, 0, 0)
}
