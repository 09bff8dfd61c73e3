package cluster_test

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// frozen starts a run that waits for g in a branch and cancels it. The branch before that one takes a while to end.
func (s *server) frozen(g syncx.Guard) {
	plan := flow.Par(flow.Shield(s.stay(20*ms)), syncx.Sync(g, s.stay(ms)))
	r := flow.Start(context.Background(), s.Loop, plan, "f")
	s.Advance(0)
	r.Cancel(nil)
}

// A flow is cancelled while the server is asked: the place or the entry goes to the next flow.
func TestGrantToAFlowThatIsBeingCancelled(t *testing.T) {
	s := newServer(t, 1)
	m := s.mutex(-1)
	s.frozen(m)
	next := s.start("next", syncx.Sync(m, s.mark()))
	s.Run()
	s.want("+f@0 next@1 -f@20")
	wantCode(t, next, "")
	wantIdle(t, s, m)

	s = newServer(t, 1)
	s.rate = 1
	h := s.throttle(-1)
	s.frozen(h)
	s.start("next", syncx.Sync(h, s.mark()))
	s.start("last", syncx.Sync(h, s.mark()))
	s.Run()
	s.want("+f@0 next@1 -f@20 last@52")
	wantIdle(t, s, h)
}

// If one of two flows that wait gives up, the request goes on for the other one.
func TestWithdrawOfOneOfTwo(t *testing.T) {
	s := newServer(t, 1)
	m, other := s.mutex(-1), s.mutex(-1)
	s.start("other", syncx.Sync(other, s.stay(50*ms)))
	s.Advance(2 * ms)
	a := s.start("a", syncx.Sync(m, s.mark()))
	s.start("b", syncx.Sync(m, s.mark()))
	s.Advance(10 * ms)
	calls := s.Calls
	a.Cancel(nil)
	s.Run()
	s.want("+other@1 -other@51 b@52")
	if s.Calls != calls {
		t.Errorf("the server was asked again %d times", s.Calls-calls)
	}
	wantIdle(t, s, m)
}

// If the lease is lost before the section begins, no step of the section begins.
func TestLeaseIsLostBeforeTheSectionBegins(t *testing.T) {
	s := newServer(t, 1)
	m := s.mutex(-1)
	slow := tooltest.New()
	a := flow.Start(context.Background(), slow, syncx.Sync(m, step.Map(func(in string) string { s.note("never"); return in })), "a")
	slow.Step()
	s.RunUntil(func() bool { return m.Inside() == 1 })
	s.Cut = true
	s.Advance(lease)
	slow.Run()
	wantCode(t, a, syncx.LeaseLost)
	s.want("")
	s.Cut = false
	s.Run()
	wantIdle(t, s, m)
}

// If a flow leaves while the answer to a renewal is on its way, no timer of the section remains.
func TestRenewalOfAFlowThatHasLeft(t *testing.T) {
	s := newServer(t, 1)
	m := s.mutex(-1)
	sent := lease/3 + ms/2
	a := s.start("a", syncx.Sync(m, s.stay(sent))) // leaves while the answer is on its way
	s.Run()
	wantCode(t, a, "")
	if s.Now() > sent+2*ms {
		t.Errorf("something happened at %v", s.Now())
	}
	b := s.start("b", syncx.Sync(m, s.stay(ms)))
	s.Run()
	wantCode(t, b, "")
	if s.Now() > sent+5*ms {
		t.Errorf("something happened at %v", s.Now())
	}
	s.want("+a@1 -a@34 +b@36 -b@37")
	wantIdle(t, s, m)
}

// A renewal that fails after the flow has left changes nothing.
func TestRenewalThatFailsAfterTheFlowHasLeft(t *testing.T) {
	s := newServer(t, 1)
	m := s.mutex(-1)
	sent := lease/3 + ms/2
	s.start("a", syncx.Sync(m, s.stay(sent)))
	s.Advance(10 * ms)
	s.Cut = true
	s.Run()
	s.want("+a@1 -a@34")
	if s.Now() > sent+2*ms {
		t.Errorf("something happened at %v", s.Now())
	}
}
