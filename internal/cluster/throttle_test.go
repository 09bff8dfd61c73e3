package cluster_test

import (
	"fmt"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func (s *server) throttle(maxQueue int) *cluster.Throttle {
	return cluster.NewThrottle("throttle", s, s, maxQueue)
}

func (s *server) mark() str {
	return step.Map(func(name string) string {
		s.note("%s@%d", name, s.Now()/ms)
		return name
	})
}

func TestThrottleIsFIFOInTheProcess(t *testing.T) {
	s := newServer(t, 1)
	h := s.throttle(-1)
	for i := range 5 {
		s.start(fmt.Sprint(i), syncx.Sync(h, s.mark()))
	}
	s.Run()
	s.want("0@1 1@2 2@52 3@52 4@103")
	if s.Most != 1 {
		t.Errorf("%d requests at once", s.Most)
	}
	wantIdle(t, s, h)
}

func TestThrottleBoundsItsQueue(t *testing.T) {
	for maxQueue, want := range map[int]string{0: "a@1 a@2 next@61", 1: "a@1 a@2 a@52 next@61", -1: "a@1 a@2 a@52 a@52 late@103 next@103"} {
		s := newServer(t, 1)
		h := s.throttle(maxQueue)
		for range 4 {
			s.start("a", syncx.Sync(h, s.mark()))
		}
		s.Advance(10 * ms)
		late := s.start("late", syncx.Sync(h, s.mark()))
		s.Advance(50 * ms)
		if code := map[bool]fault.Code{true: fault.DefenseRejected}[maxQueue >= 0]; maxQueue >= 0 {
			wantCode(t, late, code)
		}
		s.start("next", syncx.Sync(h, s.mark()))
		s.Run()
		s.want(want)
		wantIdle(t, s, h)
	}
}

func TestThrottleCancelWhileWaiting(t *testing.T) {
	s := newServer(t, 1)
	h := s.throttle(-1)
	for i := range 3 {
		s.start(fmt.Sprint(i), syncx.Sync(h, s.mark()))
	}
	s.Advance(10 * ms)
	gone := s.start("gone", flow.Timeout(ms, syncx.Sync(h, s.mark())))
	s.start("next", syncx.Sync(h, s.mark()))
	s.Run()
	s.want("0@1 1@2 2@52 next@52")
	wantCode(t, gone, fault.Timeout)
	wantIdle(t, s, h)
}

// While a flow still waits, the request goes on. Once the last one has left the queue, the server isn't asked again.
func TestThrottleCancelWhileTheServerIsAsked(t *testing.T) {
	s := newServer(t, 1)
	h := s.throttle(-1)
	s.Cut = true
	a := s.start("a", flow.Timeout(10*ms, syncx.Sync(h, s.mark())))
	b := s.start("b", flow.Timeout(20*ms, syncx.Sync(h, s.mark())))
	s.Advance(15 * ms)
	wantCode(t, a, fault.Timeout)
	if s.Asked != 1 || s.Calls != 1 {
		t.Errorf("%d requests for one flow that waits, %d in all", s.Asked, s.Calls)
	}
	s.Advance(10 * ms)
	wantCode(t, b, fault.Timeout)
	if s.Asked != 0 {
		t.Errorf("%d requests for no flow that waits", s.Asked)
	}
	s.Cut = false
	s.start("c", syncx.Sync(h, s.mark()))
	s.Run()
	s.want("c@26")
	wantIdle(t, s, h)
}

func TestThrottleServerRefuses(t *testing.T) {
	s := newServer(t, 1)
	h := s.throttle(-1)
	s.Refuse = errBroken
	a := s.start("a", syncx.Sync(h, s.mark()))
	s.Run()
	wantCode(t, a, fault.CommError)
	wantIdle(t, s, h)
}

func (s *server) limiter(maxQueue, burst int) *cluster.Limiter {
	return cluster.NewLimiter(s.mutex(maxQueue), s.throttle(burst))
}

// G4: a re-entry needs no second place, but counts as an entry.
func TestLimiter(t *testing.T) {
	s := newServer(t, 1)
	l := s.limiter(-1, -1)
	for i := range 2 {
		s.start(fmt.Sprint(i), syncx.Sync(l, flow.Then(s.mark(), syncx.Sync(l, s.mark()))))
	}
	s.Run()
	s.want("0@2 0@3 1@53 1@54")
	wantIdle(t, s, l)
}

// A flow that waits for the rate gives its place back when it is cancelled or rejected, and fails when its lease is lost.
func TestLimiterWaitsForTheRate(t *testing.T) {
	s := newServer(t, 1)
	s.rate, s.window = 1, 10*lease
	l := s.limiter(-1, -1)
	s.start("first", syncx.Sync(l, s.mark()))
	s.Run()
	a := s.start("a", flow.Timeout(20*ms, syncx.Sync(l, s.mark())))
	s.Advance(30 * ms)
	wantCode(t, a, fault.Timeout)
	if s.Free() != 1 || l.Queued() != 0 {
		t.Error("the place of a cancelled flow is taken")
	}
	b := s.start("b", syncx.Sync(l, s.mark()))
	s.Advance(lease / 2)
	s.Cut = true
	s.Advance(2 * lease)
	wantCode(t, b, syncx.LeaseLost)
	s.Cut = false
	s.Run()
	s.want("first@2")
	wantIdle(t, s, l)

	rejecting := s.limiter(-1, 0)
	s.opened, s.used = s.Now(), 1
	c := s.start("c", syncx.Sync(rejecting, s.mark()))
	s.Run()
	wantCode(t, c, fault.DefenseRejected)
	wantIdle(t, s, rejecting)
}
