package syncx_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func enterBoth(h *harness, a, b syncx.Guard) stringStep {
	return syncx.Sync(a, flow.Then(quiet(h, ms), syncx.Sync(b, quiet(h, ms))))
}

func join(branches ...stringStep) stringStep {
	return flow.Then(flow.Par(branches...), step.Map(func(all []string) string { return strings.Join(all, "") }))
}

// outcome starts a run, and notes its name when it ends, with the code of its error.
func (h *harness) outcome(name string, s stringStep) {
	h.start(name, s).Then(func(_ string, err error) {
		if err != nil {
			h.Recordf("%s!%s", name, fault.CodeOf(err))
		} else {
			h.Recordf("%s", name)
		}
	})
}

func newLimiter() *syncx.Limiter {
	return syncx.NewLimiter(syncx.Limits{MaxQueue: -1, Rate: 100, Burst: -1})
}

func TestDeadlock(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(h *harness, m []syncx.Guard)
		want string
	}{
		{"two flows, two mutexes", func(h *harness, m []syncx.Guard) {
			h.outcome("a", enterBoth(h, m[0], m[1]))
			h.outcome("b", enterBoth(h, m[1], m[0]))
		}, "b!Deadlock a"},
		{"three flows", func(h *harness, m []syncx.Guard) {
			h.outcome("a", enterBoth(h, m[0], m[1]))
			h.outcome("b", enterBoth(h, m[1], m[2]))
			h.outcome("c", enterBoth(h, m[2], m[0]))
		}, "c!Deadlock b a"},
		{"a branch wants what its parent holds", func(h *harness, m []syncx.Guard) {
			h.outcome("a", syncx.Sync(m[0], join(syncx.Sync(m[0], h.mark("never")))))
		}, "a!Deadlock"},
		{"a branch of a branch, nothing held between", func(h *harness, m []syncx.Guard) {
			h.outcome("a", syncx.Sync(m[0], join(join(join(syncx.Sync(m[0], h.mark("never")))))))
		}, "a!Deadlock"},
		{"siblings wait for each other", func(h *harness, m []syncx.Guard) {
			h.outcome("a", join(enterBoth(h, m[0], m[1]), enterBoth(h, m[1], m[0])))
		}, "a!Deadlock"},
		{"through the branch of another run", func(h *harness, m []syncx.Guard) {
			// a holds 0, its branch waits for 1; b holds 1 and wants 0.
			h.outcome("a", syncx.Sync(m[0], flow.Then(quiet(h, ms), join(quiet(h, ms), syncx.Sync(m[1], quiet(h, ms))))))
			h.outcome("b", syncx.Sync(m[1], flow.Then(quiet(h, 2*ms), syncx.Sync(m[0], h.mark("never")))))
		}, "b!Deadlock a"},
		{"through branches at two levels, each with something", func(h *harness, m []syncx.Guard) {
			inner := syncx.Sync(m[1], join(flow.Then(quiet(h, ms), syncx.Sync(m[2], quiet(h, ms)))))
			h.outcome("a", syncx.Sync(m[0], join(inner)))
			h.outcome("b", syncx.Sync(m[2], flow.Then(quiet(h, 2*ms), syncx.Sync(m[0], h.mark("never")))))
		}, "b!Deadlock a"},
		{"one of two branches is stuck, the other waits for one who goes on", func(h *harness, m []syncx.Guard) {
			h.outcome("c", syncx.Sync(m[2], quiet(h, 9*ms)))
			h.outcome("a", syncx.Sync(m[0], flow.Then(quiet(h, ms), join(syncx.Sync(m[1], quiet(h, ms)), syncx.Sync(m[2], quiet(h, ms))))))
			h.outcome("b", syncx.Sync(m[1], flow.Then(quiet(h, 2*ms), syncx.Sync(m[0], h.mark("never")))))
		}, "b!Deadlock c a"},
		{"a handler recovers, the flow goes on", func(h *harness, m []syncx.Guard) {
			retry := flow.Catch(enterBoth(h, m[1], m[0]), func(as step.Scope, err error) step.Next[string] {
				if !errors.Is(err, syncx.Deadlock) {
					return step.Unwind[string]()
				}
				return step.Into(as, enterBoth(h, m[1], m[0]), "b")
			})
			h.outcome("a", enterBoth(h, m[0], m[1]))
			h.outcome("b", retry)
		}, "a b"},
	} {
		for kind, guard := range map[string]func() syncx.Guard{
			"mutex":   func() syncx.Guard { return syncx.NewMutex(1, -1) },
			"limiter": func() syncx.Guard { return newLimiter() },
		} {
			t.Run(c.name+", "+kind, func(t *testing.T) {
				h := newHarness(t)
				m := []syncx.Guard{guard(), guard(), guard()}
				c.run(h, m)
				h.Run()
				h.WantEvents(c.want)
				for _, g := range m {
					wantStats(t, g.(stats), 0, 0)
				}
			})
		}
	}
}

func TestDeadlockSeveralPlaces(t *testing.T) {
	t.Run("all inside are stuck", func(t *testing.T) {
		h := newHarness(t)
		two, one := syncx.NewMutex(2, -1), syncx.NewMutex(1, -1)
		h.outcome("a", enterBoth(h, two, one))
		h.outcome("b", flow.Then(quiet(h, ms/2), enterBoth(h, two, one)))
		h.outcome("c", syncx.Sync(one, flow.Then(quiet(h, 5*ms), syncx.Sync(two, h.mark("never")))))
		h.Run()
		h.WantEvents("c!Deadlock a b")
	})
	t.Run("one inside goes on", func(t *testing.T) {
		h := newHarness(t)
		two, one := syncx.NewMutex(2, -1), syncx.NewMutex(1, -1)
		h.outcome("a", enterBoth(h, two, one))
		h.outcome("b", syncx.Sync(two, quiet(h, 9*ms)))
		h.outcome("c", syncx.Sync(one, flow.Then(quiet(h, 5*ms), syncx.Sync(two, h.mark("c-in")))))
		h.Run()
		h.WantEvents("b c-in c a")
	})
	t.Run("one inside waits for somebody who goes on", func(t *testing.T) {
		h := newHarness(t)
		two, one, other := syncx.NewMutex(2, -1), syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)
		h.outcome("a", enterBoth(h, two, one))
		h.outcome("b", enterBoth(h, two, other))
		h.outcome("d", syncx.Sync(other, quiet(h, 9*ms)))
		h.outcome("c", syncx.Sync(one, flow.Then(quiet(h, 5*ms), syncx.Sync(two, h.mark("c-in")))))
		h.Run()
		h.WantEvents("d b c-in c a")
	})
	t.Run("the last one that could go on gets stuck", func(t *testing.T) {
		h := newHarness(t)
		two, one := syncx.NewMutex(2, -1), syncx.NewMutex(1, -1)
		h.outcome("a", enterBoth(h, two, one))
		h.outcome("b", syncx.Sync(two, flow.Then(quiet(h, 9*ms), syncx.Sync(one, h.mark("never")))))
		h.outcome("c", syncx.Sync(one, flow.Then(quiet(h, 5*ms), syncx.Sync(two, h.mark("c-in")))))
		h.Run()
		// the wait of b closes the cycle: b fails, then c goes on, then a
		h.WantEvents("b!Deadlock c-in c a")
	})
	t.Run("a branch may take the second place of its parent", func(t *testing.T) {
		h := newHarness(t)
		two := syncx.NewMutex(2, -1)
		h.outcome("a", syncx.Sync(two, join(syncx.Sync(two, quiet(h, ms)), syncx.Sync(two, quiet(h, ms)))))
		h.Run()
		h.WantEvents("a")
	})
}

// G4: a flow that has its place in a limiter and waits for the rate isn't stuck, although it waited for the place before.
func TestNoDeadlockWithRate(t *testing.T) {
	h := newHarness(t)
	m := syncx.NewMutex(1, -1)
	l := syncx.NewLimiter(syncx.Limits{Concurrent: 2, MaxQueue: -1, Rate: 2, Burst: -1, Period: 100 * ms})
	h.at(0, "a", syncx.Sync(l, quiet(h, 10*ms)))
	h.at(0, "b", syncx.Sync(l, flow.Then(quiet(h, 20*ms), syncx.Sync(m, h.stamp()))))
	// c holds m, gets its place in l at 10 ms, and waits for the rate until 100 ms.
	h.at(ms, "c", syncx.Sync(m, syncx.Sync(l, h.stamp())))
	h.Run()
	h.WantEvents("c@100 b@100")
	wantStats(t, l, 0, 0)
}

// A flow that failed with Deadlock and has recovered isn't stuck.
func TestNoDeadlockAfterOne(t *testing.T) {
	h := newHarness(t)
	m, n := syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)
	recovers := flow.Catch(join(join(syncx.Sync(m, h.mark("never")))), func(_ step.Scope, err error) step.Next[string] {
		h.Recordf("%s", fault.CodeOf(err))
		return step.Succeed("a")
	})
	h.outcome("a", syncx.Sync(m, flow.Then(recovers, quiet(h, 9*ms))))
	h.outcome("b", syncx.Sync(n, flow.Then(quiet(h, ms), syncx.Sync(m, h.mark("b-in")))))
	h.outcome("c", flow.Then(quiet(h, 2*ms), syncx.Sync(n, h.mark("c-in"))))
	h.Run()
	h.WantEvents("Deadlock a b-in b c-in c")
}

func TestNoDeadlock(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(h *harness, m []*syncx.Mutex)
		want string
	}{
		{"a chain", func(h *harness, m []*syncx.Mutex) {
			h.outcome("a", syncx.Sync(m[0], quiet(h, 9*ms)))
			h.outcome("b", enterBoth(h, m[1], m[0]))
			h.outcome("c", enterBoth(h, m[2], m[1]))
			h.outcome("d", syncx.Sync(m[2], quiet(h, ms)))
		}, "a b c d"},
		{"the other waits for a throttle", func(h *harness, m []*syncx.Mutex) {
			throttle := syncx.NewThrottle(1, 50*ms, -1)
			h.outcome("x", syncx.Sync(throttle, h.mark("x-in")))
			h.outcome("a", syncx.Sync(m[0], syncx.Sync(throttle, h.mark("a-in"))))
			h.outcome("b", syncx.Sync(m[0], h.mark("b-in")))
		}, "x-in x a-in a b-in b"},
		{"a branch waits, its parent holds nothing of the ring", func(h *harness, m []*syncx.Mutex) {
			h.outcome("a", syncx.Sync(m[0], join(quiet(h, ms), flow.Then(quiet(h, ms), syncx.Sync(m[1], quiet(h, ms))))))
			h.outcome("b", syncx.Sync(m[1], flow.Then(quiet(h, 9*ms), syncx.Sync(m[2], quiet(h, ms)))))
		}, "b a"},
		{"the other has been let go by a timeout before", func(h *harness, m []*syncx.Mutex) {
			a := flow.Catch(flow.Timeout(3*ms, syncx.Sync(m[1], h.mark("never"))), func(step.Scope, error) step.Next[string] {
				return step.Succeed("a")
			})
			h.outcome("a", syncx.Sync(m[0], flow.Then(quiet(h, ms), flow.Then(a, quiet(h, 9*ms)))))
			h.outcome("b", syncx.Sync(m[1], flow.Then(quiet(h, 6*ms), syncx.Sync(m[0], quiet(h, ms)))))
		}, "a b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t)
			m := []*syncx.Mutex{syncx.NewMutex(1, -1), syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)}
			c.run(h, m)
			h.Run()
			h.WantEvents(c.want)
		})
	}
}

// A flow isn't stuck if the branch that waits is being cancelled, also before the cancel has reached the waiting step.
func TestNoDeadlockWithFrozenBranch(t *testing.T) {
	h, other := newHarness(t), newHarness(t)
	m, n := syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)
	other.outcome("b", syncx.Sync(n, flow.Then(quiet(other, ms), syncx.Sync(m, other.mark("b-in")))))
	other.Advance(0)
	meanwhile := func() {
		other.Advance(ms) // b asks for m
		other.WantEvents("")
		wantStats(t, m, 1, 1)
	}
	first := step.New(func(as step.Scope, _ string) step.Next[string] {
		as.SetCancel(meanwhile)
		return step.Wait[string](as, nil)
	})
	h.outcome("a", syncx.Sync(m, join(first, syncx.Sync(n, h.mark("never")), flow.Then(quiet(h, ms), plantest.Fail[string, string](errBody)))))
	h.Run()
	h.WantEvents("a!InternalError")
	other.Run()
	other.WantEvents("b-in b")
}

func TestDeadlockOnTwoLoops(t *testing.T) {
	h, other := newHarness(t), newHarness(t)
	m, n := syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)
	h.outcome("a", enterBoth(h, m, n))
	other.outcome("b", enterBoth(other, n, m))
	h.Advance(0)
	other.Advance(0)
	h.Advance(ms)
	wantStats(t, n, 1, 1)
	other.Run()
	other.WantEvents("b!Deadlock")
	h.Run()
	h.WantEvents("a")
}

func TestDeadlockAllowCycles(t *testing.T) {
	t.Run("mutex", func(t *testing.T) {
		h := newHarness(t)
		m, n := syncx.NewMutex(1, -1).AllowCycles(), syncx.NewMutex(1, -1).AllowCycles()
		h.outcome("a", enterBoth(h, m, n))
		h.outcome("b", flow.Timeout(time.Second, enterBoth(h, n, m)))
		h.Run()
		h.WantEvents("b!Timeout a")
		wantStats(t, m, 0, 0)
		wantStats(t, n, 0, 0)
	})
	t.Run("limiter", func(t *testing.T) {
		h := newHarness(t)
		m, n := newLimiter().AllowCycles(), newLimiter().AllowCycles()
		h.outcome("a", enterBoth(h, m, n))
		h.outcome("b", flow.Timeout(time.Second, enterBoth(h, n, m)))
		h.Run()
		h.WantEvents("b!Timeout a")
	})
}

func TestDeadlockReport(t *testing.T) {
	h := newHarness(t)
	account := syncx.NewMutex(1, -1)
	journal := syncx.NewMutex(1, -1)
	h.start("a", flow.Named("pay", syncx.Sync(account, flow.Then(quiet(h, ms), flow.Named("post", syncx.Sync(journal, quiet(h, ms)))))))
	b := h.start("b", flow.Then(h.mark("b"), syncx.Sync(journal, join(quiet(h, ms), flow.Then(quiet(h, ms), syncx.Sync(account, quiet(h, ms)))))))
	h.Run()
	_, err := b.Result()
	var cycle *syncx.Cycle
	if !errors.As(err, &cycle) || !errors.Is(err, syncx.Deadlock) {
		t.Fatalf("error is %v", err)
	}
	if n := len(cycle.Waits); n != 2 {
		t.Fatalf("%d waits: %v", n, cycle)
	}
	line := func(s string) string { // the report without the line numbers of this file
		var b strings.Builder
		for i, part := range strings.Split(s, "deadlock_test.go:") {
			if i > 0 {
				part = strings.TrimLeft(part, "0123456789")
				b.WriteString("here")
			}
			b.WriteString(part)
		}
		return b.String()
	}
	got := strings.Split(line(cycle.Error()), "; ")
	want := []string{
		"run 0 step 1/0/par.1/1 sync (here) waits for mutex (here), held by run 1 step 0 pay (here)",
		"run 1 step 0/1 post (here) waits for mutex (here), held by run 0 step 1 sync (here)",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the ring is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if cycle.Waits[0].Guard == cycle.Waits[1].Guard {
		t.Errorf("two mutexes, one place: %s", cycle.Waits[0].Guard)
	}
	var e *fault.Error
	if !errors.As(err, &e) || e.Path != "1/0/par.1/1" || !strings.Contains(e.Error(), "run 1 step 0/1 post") {
		t.Errorf("the run's error is %v, at %s", err, e.Path)
	}
	h.Lines = nil
}

func TestDeadlockReportsWhoHolds(t *testing.T) {
	h := newHarness(t)
	two, one, far := syncx.NewMutex(2, -1), syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)
	h.outcome("a", flow.Named("the long way", enterBoth(h, two, far)))
	h.outcome("b", flow.Named("the short way", enterBoth(h, two, one)))
	h.outcome("c", enterBoth(h, far, one))
	last := h.start("d", syncx.Sync(one, flow.Then(quiet(h, 3*ms), syncx.Sync(two, h.mark("never")))))
	h.Run()
	_, err := last.Result()
	var cycle *syncx.Cycle
	if !errors.As(err, &cycle) || len(cycle.Waits) != 2 {
		t.Fatalf("error is %v, want a ring of two", err)
	}
	if name := cycle.Waits[0].Holding.Name; name != "the short way" {
		t.Errorf("the ring goes through %q:\n%v", name, cycle)
	}
	h.WantEvents("b c a")
}

// A shorter cycle leads through a branch that isn't stuck. It isn't reported.
func TestDeadlockReportsStuckOnly(t *testing.T) {
	h := newHarness(t)
	m, one, x, two := syncx.NewMutex(1, -1), syncx.NewMutex(1, -1), syncx.NewMutex(1, -1), syncx.NewMutex(2, -1)
	wait := flow.Then(quiet(h, ms), syncx.Sync(one, quiet(h, ms)))
	h.outcome("q", syncx.Sync(x, wait))
	h.outcome("free", syncx.Sync(two, quiet(h, 9*ms)))
	s := h.start("s", syncx.Sync(one, syncx.Sync(two, flow.Then(quiet(h, 3*ms), syncx.Sync(m, h.mark("never"))))))
	h.outcome("p", syncx.Sync(m, flow.Then(quiet(h, ms), join(syncx.Sync(two, quiet(h, ms)), syncx.Sync(x, quiet(h, ms))))))
	h.Run()
	_, err := s.Result()
	var cycle *syncx.Cycle
	if !errors.As(err, &cycle) || len(cycle.Waits) != 3 {
		t.Fatalf("error is %v, want a ring of three", err)
	}
	if path := cycle.Waits[1].Waiting.Path; path != "0/1/par.1/0" {
		t.Errorf("the ring goes through %s:\n%v", path, cycle)
	}
	h.WantEvents("q p free")
}
