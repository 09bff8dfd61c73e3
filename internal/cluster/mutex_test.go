package cluster_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster"
	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func (s *server) mutex(maxQueue int) *cluster.Mutex {
	return cluster.NewMutex("mutex m", s, s, lease, maxQueue)
}

func wantCode(t *testing.T, r *flow.Running[string], code fault.Code) {
	t.Helper()
	if _, err := r.Result(); fault.CodeOf(err) != code {
		t.Errorf("ended with %v, want %q", err, code)
	}
}

func wantIdle(t *testing.T, s *server, g interface {
	Inside() int
	Queued() int
},
) {
	t.Helper()
	if g.Inside() != 0 || g.Queued() != 0 {
		t.Errorf("%d inside, %d queued", g.Inside(), g.Queued())
	}
	if n := s.Free(); n != len(s.Holders) {
		t.Errorf("%d of %d places are free", n, len(s.Holders))
	}
	if n := s.Pending(); n != 0 {
		t.Errorf("%d callbacks are left", n)
	}
	for _, err := range s.Errors() {
		t.Error(err)
	}
}

// Flows of one process enter in the order in which they came. Fences rise, and the process asks for one place at a time.
func TestMutexIsFIFOInTheProcess(t *testing.T) {
	s := newServer(t, 1)
	m := s.mutex(-1)
	show := step.Func(func(as step.Scope, name string) (string, error) {
		s.note("%s=%d", name, syncx.Fence(as.Context()))
		return name, nil
	})
	for i := range 4 {
		s.start(fmt.Sprint(i), syncx.Sync(m, flow.Then(show, syncx.Sync(m, show))))
	}
	s.Run()
	s.want("0=1 0=1 1=2 1=2 2=3 2=3 3=4 3=4")
	if s.Most != 1 {
		t.Errorf("%d requests at once", s.Most)
	}
	wantIdle(t, s, m)
}

func TestPlacesAreShared(t *testing.T) {
	s := newServer(t, 2)
	a, b := s.mutex(-1), s.mutex(-1)
	for i := range 3 {
		s.start(fmt.Sprintf("a%d", i), syncx.Sync(a, s.stay(10*ms)))
		s.start(fmt.Sprintf("b%d", i), syncx.Sync(b, s.stay(10*ms)))
	}
	s.RunUntil(func() bool { return s.Free() == 0 })
	if a.Inside()+b.Inside() != 2 {
		t.Errorf("%d inside", a.Inside()+b.Inside())
	}
	s.Run()
	wantIdle(t, s, a)
	wantIdle(t, s, b)
	if len(s.log) != 12 {
		t.Errorf("happened: %v", s.log)
	}
}

// The queue is bounded once the server has answered that no place is free.
func TestMutexBoundsItsQueue(t *testing.T) {
	for maxQueue, codes := range map[int][]fault.Code{
		0:  {"", fault.DefenseRejected, fault.DefenseRejected, fault.DefenseRejected},
		1:  {"", "", fault.DefenseRejected, fault.DefenseRejected},
		-1: {"", "", "", ""},
	} {
		s := newServer(t, 1)
		m := s.mutex(maxQueue)
		var runs []*flow.Running[string]
		for range 3 {
			runs = append(runs, s.start("a", syncx.Sync(m, s.stay(10*ms))))
		}
		s.Advance(5 * ms)
		runs = append(runs, s.start("late", syncx.Sync(m, s.stay(10*ms))))
		s.Run()
		for i, r := range runs {
			wantCode(t, r, codes[i])
		}
		again := s.start("again", syncx.Sync(m, s.stay(ms)))
		s.Run()
		wantCode(t, again, "")
		wantIdle(t, s, m)
	}
}

// Once the last flow has left the queue, the server isn't asked again, and a place that arrives late is given back.
func TestMutexCancelWhileWaiting(t *testing.T) {
	s := newServer(t, 1)
	m, other := s.mutex(-1), s.mutex(-1)
	s.start("other", syncx.Sync(other, s.stay(50*ms)))
	s.Advance(5 * ms)
	a := s.start("a", flow.Timeout(10*ms, syncx.Sync(m, s.stay(ms))))
	s.Advance(20 * ms)
	wantCode(t, a, fault.Timeout)
	if s.Asked != 0 {
		t.Error("the server is still asked")
	}
	b := s.start("b", syncx.Sync(m, s.stay(ms)))
	s.Run()
	wantCode(t, b, "")
	c := s.start("c", syncx.Sync(m, s.stay(ms)))
	s.RunUntil(func() bool { return s.Asked == 1 })
	c.Cancel(nil)
	s.Run()
	wantCode(t, c, fault.Cancelled)
	wantIdle(t, s, m)
}

// A lease outlasts a failure of the connection for half of its length.
func TestLeaseIsRenewed(t *testing.T) {
	for _, late := range []bool{false, true} {
		s := newServer(t, 1)
		s.Late = late
		leaseIsRenewed(t, s)
	}
}

func leaseIsRenewed(t *testing.T, s *server) {
	t.Helper()
	m := s.mutex(0)
	a := s.start("a", syncx.Sync(m, s.stay(10*lease)))
	s.Advance(5 * lease)
	s.Cut = true
	s.Advance(lease / 2)
	s.Cut = false
	s.Run()
	wantCode(t, a, "")
	wantIdle(t, s, m)
}

// A section whose lease can't be renewed is evicted before the server gives the place to another process.
func TestLeaseExpires(t *testing.T) {
	s := newServer(t, 1)
	m, other := s.mutex(0), cluster.NewMutex("mutex", s.Connect(), s, lease, -1)
	a := s.start("a", syncx.Sync(m, s.stay(10*lease)))
	s.Advance(5 * ms)
	s.start("b", syncx.Sync(other, s.stay(ms)))
	s.Advance(10 * ms)
	s.Advance(25 * ms) // a renewal was sent at 34 ms
	s.Cut = true
	s.Run()
	wantCode(t, a, syncx.LeaseLost)
	if _, err := a.Result(); !errors.Is(err, cluster.ErrExpired) || !strings.Contains(err.Error(), ": mutex m: ") {
		t.Errorf("ended with %v", err)
	}
	s.want("+a@1 ~124 +b@136 -b@137")
}

// If another process takes the place over, the next renewal evicts the section.
func TestPlaceIsTakenOver(t *testing.T) {
	s := newServer(t, 1)
	m := s.mutex(-1)
	a := s.start("a", syncx.Sync(m, s.stay(10*lease)))
	s.Advance(5 * ms)
	thief := s.Connect().Steal(0, 10*lease)
	s.Advance(lease / 2)
	wantCode(t, a, syncx.LeaseLost)
	if _, err := a.Result(); !errors.Is(err, cluster.ErrLost) || !strings.Contains(err.Error(), ": mutex m: ") {
		t.Errorf("ended with %v", err)
	}
	if !thief.Mine() {
		t.Error("the place of another holder was released")
	}
}

// An error of the server fails the flows that wait. The next flow asks the server again.
func TestServerRefuses(t *testing.T) {
	s := newServer(t, 1)
	m := s.mutex(-1)
	s.Refuse = errBroken
	a, b := s.start("a", syncx.Sync(m, s.stay(ms))), s.start("b", syncx.Sync(m, s.stay(ms)))
	s.Run()
	wantCode(t, a, fault.CommError)
	wantCode(t, b, fault.CommError)
	if _, err := a.Result(); !errors.Is(err, errBroken) {
		t.Errorf("ended with %v", err)
	}
	s.Refuse = nil
	c := s.start("c", syncx.Sync(m, s.stay(ms)))
	s.Run()
	wantCode(t, c, "")
	wantIdle(t, s, m)
}

func TestMutexAtEveryPoint(t *testing.T) {
	for _, what := range []string{"cancel", "steal"} {
		for point := 0; ; point++ {
			s := newServer(t, 1)
			m := s.mutex(-1)
			a := s.start("a", syncx.Sync(m, s.stay(lease)))
			b := s.start("b", syncx.Sync(m, s.stay(lease)))
			n := 0
			more := s.RunUntil(func() bool { n++; return n > point })
			if what == "cancel" {
				a.Cancel(nil)
			} else {
				s.Holders[0] = nil
			}
			s.Run()
			if _, err := a.Result(); err != nil && fault.CodeOf(err) != fault.Cancelled && fault.CodeOf(err) != syncx.LeaseLost {
				t.Errorf("%s at %d: a ended with %v", what, point, err)
			}
			if _, err := b.Result(); err != nil && fault.CodeOf(err) != syncx.LeaseLost {
				t.Errorf("%s at %d: b ended with %v", what, point, err)
			}
			wantIdle(t, s, m)
			if !more {
				break
			}
		}
	}
}

// Flows that wait for each other's guards at two servers aren't told of a deadlock, so a limit has to end it.
func TestDeadlockIsNotFound(t *testing.T) {
	s := newServer(t, 1)
	other := clustertest.NewStore(1, lease)
	other.Loop = s.Loop
	a, b := s.mutex(-1), cluster.NewMutex("other", other.Connect(), other, lease, -1)
	both := func(first, second syncx.Guard) str {
		return flow.Timeout(10*lease, syncx.Sync(first, flow.Then(s.stay(5*ms), syncx.Sync(second, s.stay(ms)))))
	}
	left, right := s.start("left", both(a, b)), s.start("right", both(b, a))
	s.Run()
	wantCode(t, left, fault.Timeout)
	wantCode(t, right, fault.Timeout)
	wantIdle(t, s, a)
	wantIdle(t, s, b)
}
