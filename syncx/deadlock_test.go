package syncx_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// both enters a, stays a millisecond, then enters b.
func both(r *rig, a, b syncx.Guard) str {
	return syncx.Sync(a, flow.Then(quiet(r, ms), syncx.Sync(b, quiet(r, ms))))
}

// join returns a plan of parallel branches.
func join(branches ...str) str {
	return flow.Then(flow.Par(branches...), step.Map(func(all []string) string { return strings.Join(all, "") }))
}

// outcome starts a run, and notes its name and the code of its error when it ends.
func (r *rig) outcome(name string, s str) {
	r.start(name, s).Then(func(_ string, err error) {
		if err != nil {
			r.note("%s!%s", name, fault.CodeOf(err))
		} else {
			r.note("%s", name)
		}
	})
}

func newLimiter() *syncx.Limiter {
	return syncx.NewLimiter(syncx.Limits{MaxQueue: -1, Rate: 100, Burst: -1})
}

// The step whose wait would close a cycle fails, and the others go on.
func TestDeadlock(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(r *rig, m []syncx.Guard)
		want string
	}{
		{"two flows, two mutexes", func(r *rig, m []syncx.Guard) {
			r.outcome("a", both(r, m[0], m[1]))
			r.outcome("b", both(r, m[1], m[0]))
		}, "b!Deadlock a"},
		{"three flows", func(r *rig, m []syncx.Guard) {
			r.outcome("a", both(r, m[0], m[1]))
			r.outcome("b", both(r, m[1], m[2]))
			r.outcome("c", both(r, m[2], m[0]))
		}, "c!Deadlock b a"},
		{"a branch wants what its parent holds", func(r *rig, m []syncx.Guard) {
			r.outcome("a", syncx.Sync(m[0], join(syncx.Sync(m[0], r.mark("never")))))
		}, "a!Deadlock"},
		{"a branch of a branch, nothing held between", func(r *rig, m []syncx.Guard) {
			r.outcome("a", syncx.Sync(m[0], join(join(join(syncx.Sync(m[0], r.mark("never")))))))
		}, "a!Deadlock"},
		{"siblings wait for each other", func(r *rig, m []syncx.Guard) {
			r.outcome("a", join(both(r, m[0], m[1]), both(r, m[1], m[0])))
		}, "a!Deadlock"},
		{"through the branch of another run", func(r *rig, m []syncx.Guard) {
			// a holds 0, its branch waits for 1; b holds 1 and wants 0.
			r.outcome("a", syncx.Sync(m[0], flow.Then(quiet(r, ms), join(quiet(r, ms), syncx.Sync(m[1], quiet(r, ms))))))
			r.outcome("b", syncx.Sync(m[1], flow.Then(quiet(r, 2*ms), syncx.Sync(m[0], r.mark("never")))))
		}, "b!Deadlock a"},
		{"through branches at two levels, each with something", func(r *rig, m []syncx.Guard) {
			inner := syncx.Sync(m[1], join(flow.Then(quiet(r, ms), syncx.Sync(m[2], quiet(r, ms)))))
			r.outcome("a", syncx.Sync(m[0], join(inner)))
			r.outcome("b", syncx.Sync(m[2], flow.Then(quiet(r, 2*ms), syncx.Sync(m[0], r.mark("never")))))
		}, "b!Deadlock a"},
		{"one of two branches is stuck, the other waits for one who goes on", func(r *rig, m []syncx.Guard) {
			r.outcome("c", syncx.Sync(m[2], quiet(r, 9*ms)))
			r.outcome("a", syncx.Sync(m[0], flow.Then(quiet(r, ms), join(syncx.Sync(m[1], quiet(r, ms)), syncx.Sync(m[2], quiet(r, ms))))))
			r.outcome("b", syncx.Sync(m[1], flow.Then(quiet(r, 2*ms), syncx.Sync(m[0], r.mark("never")))))
		}, "b!Deadlock c a"},
		{"a handler recovers, the flow goes on", func(r *rig, m []syncx.Guard) {
			retry := flow.Catch(both(r, m[1], m[0]), func(as step.Scope, err error) step.Next[string] {
				if !errors.Is(err, syncx.Deadlock) {
					return step.Unwind[string]()
				}
				return step.Into(as, both(r, m[1], m[0]), "b")
			})
			r.outcome("a", both(r, m[0], m[1]))
			r.outcome("b", retry)
		}, "a b"},
	} {
		for kind, guard := range map[string]func() syncx.Guard{
			"mutex":   func() syncx.Guard { return syncx.NewMutex(1, -1) },
			"limiter": func() syncx.Guard { return newLimiter() },
		} {
			t.Run(c.name+", "+kind, func(t *testing.T) {
				r := newRig(t)
				m := []syncx.Guard{guard(), guard(), guard()}
				c.run(r, m)
				r.Run()
				r.want(c.want)
				for _, g := range m {
					wantStats(t, g.(stats), 0, 0)
				}
			})
		}
	}
}

// A mutex with several places is part of a deadlock only if all flows inside are stuck.
func TestDeadlockSeveralPlaces(t *testing.T) {
	t.Run("all inside are stuck", func(t *testing.T) {
		r := newRig(t)
		two, one := syncx.NewMutex(2, -1), syncx.NewMutex(1, -1)
		r.outcome("a", both(r, two, one))
		r.outcome("b", flow.Then(quiet(r, ms/2), both(r, two, one)))
		r.outcome("c", syncx.Sync(one, flow.Then(quiet(r, 5*ms), syncx.Sync(two, r.mark("never")))))
		r.Run()
		r.want("c!Deadlock a b")
	})
	t.Run("one inside goes on", func(t *testing.T) {
		r := newRig(t)
		two, one := syncx.NewMutex(2, -1), syncx.NewMutex(1, -1)
		r.outcome("a", both(r, two, one))
		r.outcome("b", syncx.Sync(two, quiet(r, 9*ms)))
		r.outcome("c", syncx.Sync(one, flow.Then(quiet(r, 5*ms), syncx.Sync(two, r.mark("c-in")))))
		r.Run()
		r.want("b c-in c a")
	})
	t.Run("one inside waits for somebody who goes on", func(t *testing.T) {
		r := newRig(t)
		two, one, other := syncx.NewMutex(2, -1), syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)
		r.outcome("a", both(r, two, one))
		r.outcome("b", both(r, two, other))
		r.outcome("d", syncx.Sync(other, quiet(r, 9*ms)))
		r.outcome("c", syncx.Sync(one, flow.Then(quiet(r, 5*ms), syncx.Sync(two, r.mark("c-in")))))
		r.Run()
		r.want("d b c-in c a")
	})
	t.Run("the last one that could go on gets stuck", func(t *testing.T) {
		r := newRig(t)
		two, one := syncx.NewMutex(2, -1), syncx.NewMutex(1, -1)
		r.outcome("a", both(r, two, one))
		r.outcome("b", syncx.Sync(two, flow.Then(quiet(r, 9*ms), syncx.Sync(one, r.mark("never")))))
		r.outcome("c", syncx.Sync(one, flow.Then(quiet(r, 5*ms), syncx.Sync(two, r.mark("c-in")))))
		r.Run()
		// the wait of b closes the cycle: b fails, then c goes on, then a
		r.want("b!Deadlock c-in c a")
	})
	t.Run("a branch may take the second place of its parent", func(t *testing.T) {
		r := newRig(t)
		two := syncx.NewMutex(2, -1)
		r.outcome("a", syncx.Sync(two, join(syncx.Sync(two, quiet(r, ms)), syncx.Sync(two, quiet(r, ms)))))
		r.Run()
		r.want("a")
	})
}

// G4: a flow that has its place in a limiter and waits for the rate isn't stuck, although it waited for the place
// before.
func TestNoDeadlockWithRate(t *testing.T) {
	r := newRig(t)
	m := syncx.NewMutex(1, -1)
	l := syncx.NewLimiter(syncx.Limits{Concurrent: 2, MaxQueue: -1, Rate: 2, Burst: -1, Period: 100 * ms})
	r.at(0, "a", syncx.Sync(l, quiet(r, 10*ms)))
	r.at(0, "b", syncx.Sync(l, flow.Then(quiet(r, 20*ms), syncx.Sync(m, r.stamp()))))
	// c holds m, gets its place in l at 10, and waits for the rate until 100.
	r.at(ms, "c", syncx.Sync(m, syncx.Sync(l, r.stamp())))
	r.Run()
	r.want("c@100 b@100")
	wantStats(t, l, 0, 0)
}

// A flow that failed with Deadlock and has recovered isn't stuck: a later wait for it is no part of a cycle.
func TestNoDeadlockAfterOne(t *testing.T) {
	r := newRig(t)
	m, n := syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)
	recovers := flow.Catch(join(join(syncx.Sync(m, r.mark("never")))), func(_ step.Scope, err error) step.Next[string] {
		r.note("%s", fault.CodeOf(err))
		return step.Succeed("a")
	})
	r.outcome("a", syncx.Sync(m, flow.Then(recovers, quiet(r, 9*ms))))
	r.outcome("b", syncx.Sync(n, flow.Then(quiet(r, ms), syncx.Sync(m, r.mark("b-in")))))
	r.outcome("c", flow.Then(quiet(r, 2*ms), syncx.Sync(n, r.mark("c-in"))))
	r.Run()
	r.want("Deadlock a b-in b c-in c")
}

// Waits that aren't a deadlock aren't reported as one.
func TestNoDeadlock(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(r *rig, m []*syncx.Mutex)
		want string
	}{
		{"a chain", func(r *rig, m []*syncx.Mutex) {
			r.outcome("a", syncx.Sync(m[0], quiet(r, 9*ms)))
			r.outcome("b", both(r, m[1], m[0]))
			r.outcome("c", both(r, m[2], m[1]))
			r.outcome("d", syncx.Sync(m[2], quiet(r, ms)))
		}, "a b c d"},
		{"the other waits for a throttle", func(r *rig, m []*syncx.Mutex) {
			h := syncx.NewThrottle(1, 50*ms, -1)
			r.outcome("x", syncx.Sync(h, r.mark("x-in")))
			r.outcome("a", syncx.Sync(m[0], syncx.Sync(h, r.mark("a-in"))))
			r.outcome("b", syncx.Sync(m[0], r.mark("b-in")))
		}, "x-in x a-in a b-in b"},
		{"a branch waits, its parent holds nothing of the ring", func(r *rig, m []*syncx.Mutex) {
			r.outcome("a", syncx.Sync(m[0], join(quiet(r, ms), flow.Then(quiet(r, ms), syncx.Sync(m[1], quiet(r, ms))))))
			r.outcome("b", syncx.Sync(m[1], flow.Then(quiet(r, 9*ms), syncx.Sync(m[2], quiet(r, ms)))))
		}, "b a"},
		{"the other has been let go by a timeout before", func(r *rig, m []*syncx.Mutex) {
			a := flow.Catch(flow.Timeout(3*ms, syncx.Sync(m[1], r.mark("never"))), func(step.Scope, error) step.Next[string] {
				return step.Succeed("a")
			})
			r.outcome("a", syncx.Sync(m[0], flow.Then(quiet(r, ms), flow.Then(a, quiet(r, 9*ms)))))
			r.outcome("b", syncx.Sync(m[1], flow.Then(quiet(r, 6*ms), syncx.Sync(m[0], quiet(r, ms)))))
		}, "a b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			m := []*syncx.Mutex{syncx.NewMutex(1, -1), syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)}
			c.run(r, m)
			r.Run()
			r.want(c.want)
		})
	}
}

// A step that is about to be cancelled doesn't count as waiting, although the cancel hasn't come to it yet.
func TestNoDeadlockWithFrozenBranch(t *testing.T) {
	r, other := newRig(t), newRig(t)
	m, n := syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)
	other.outcome("b", syncx.Sync(n, flow.Then(quiet(other, ms), syncx.Sync(m, other.mark("b-in")))))
	other.Advance(0)
	meanwhile := func() {
		other.Advance(ms) // b asks for m
		other.want("")
		wantStats(t, m, 1, 1)
	}
	first := step.New(func(as step.Scope, _ string) step.Next[string] {
		as.SetCancel(meanwhile)
		return step.Wait[string](as, nil)
	})
	r.outcome("a", syncx.Sync(m, join(first, syncx.Sync(n, r.mark("never")), flow.Then(quiet(r, ms), fails(errBody)))))
	r.Run()
	r.want("a!InternalError")
	other.Run()
	other.want("b-in b")
}

// A deadlock of flows on two loops is found.
func TestDeadlockOnTwoLoops(t *testing.T) {
	r, other := newRig(t), newRig(t)
	m, n := syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)
	r.outcome("a", both(r, m, n))
	other.outcome("b", both(other, n, m))
	r.Advance(0)
	other.Advance(0)
	r.Advance(ms)
	wantStats(t, n, 1, 1)
	other.Run()
	other.want("b!Deadlock")
	r.Run()
	r.want("a")
}

func TestDeadlockAllowCycles(t *testing.T) {
	t.Run("mutex", func(t *testing.T) {
		r := newRig(t)
		m, n := syncx.NewMutex(1, -1).AllowCycles(), syncx.NewMutex(1, -1).AllowCycles()
		r.outcome("a", both(r, m, n))
		r.outcome("b", flow.Timeout(time.Second, both(r, n, m)))
		r.Run()
		r.want("b!Timeout a")
		wantStats(t, m, 0, 0)
		wantStats(t, n, 0, 0)
	})
	t.Run("limiter", func(t *testing.T) {
		r := newRig(t)
		m, n := newLimiter().AllowCycles(), newLimiter().AllowCycles()
		r.outcome("a", both(r, m, n))
		r.outcome("b", flow.Timeout(time.Second, both(r, n, m)))
		r.Run()
		r.want("b!Timeout a")
	})
}

// The error names both plans, their steps, the guards, and which flow holds which guard.
func TestDeadlockReport(t *testing.T) {
	r := newRig(t)
	account := syncx.NewMutex(1, -1)
	journal := syncx.NewMutex(1, -1)
	r.start("a", flow.Named("pay", syncx.Sync(account, flow.Then(quiet(r, ms), flow.Named("post", syncx.Sync(journal, quiet(r, ms)))))))
	b := r.start("b", flow.Then(r.mark("b"), syncx.Sync(journal, join(quiet(r, ms), flow.Then(quiet(r, ms), syncx.Sync(account, quiet(r, ms)))))))
	r.Run()
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
	r.Log = nil
}

// If several flows are inside of a guard, the error names the one that is part of the cycle.
func TestDeadlockReportsWhoHolds(t *testing.T) {
	r := newRig(t)
	two, one, far := syncx.NewMutex(2, -1), syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)
	r.outcome("a", flow.Named("the long way", both(r, two, far)))
	r.outcome("b", flow.Named("the short way", both(r, two, one)))
	r.outcome("c", both(r, far, one))
	last := r.start("d", syncx.Sync(one, flow.Then(quiet(r, 3*ms), syncx.Sync(two, r.mark("never")))))
	r.Run()
	_, err := last.Result()
	var cycle *syncx.Cycle
	if !errors.As(err, &cycle) || len(cycle.Waits) != 2 {
		t.Fatalf("error is %v, want a ring of two", err)
	}
	if name := cycle.Waits[0].Holding.Name; name != "the short way" {
		t.Errorf("the ring goes through %q:\n%v", name, cycle)
	}
	r.want("b c a")
}

// The cycle of the error goes through flows that are stuck only, even if there is a shorter one through a flow that
// isn't.
func TestDeadlockReportsStuckOnly(t *testing.T) {
	r := newRig(t)
	m, one, x, two := syncx.NewMutex(1, -1), syncx.NewMutex(1, -1), syncx.NewMutex(1, -1), syncx.NewMutex(2, -1)
	wait := flow.Then(quiet(r, ms), syncx.Sync(one, quiet(r, ms)))
	r.outcome("q", syncx.Sync(x, wait))
	r.outcome("free", syncx.Sync(two, quiet(r, 9*ms)))
	s := r.start("s", syncx.Sync(one, syncx.Sync(two, flow.Then(quiet(r, 3*ms), syncx.Sync(m, r.mark("never"))))))
	r.outcome("p", syncx.Sync(m, flow.Then(quiet(r, ms), join(syncx.Sync(two, quiet(r, ms)), syncx.Sync(x, quiet(r, ms))))))
	r.Run()
	_, err := s.Result()
	var cycle *syncx.Cycle
	if !errors.As(err, &cycle) || len(cycle.Waits) != 3 {
		t.Fatalf("error is %v, want a ring of three", err)
	}
	if path := cycle.Waits[1].Waiting.Path; path != "0/1/par.1/0" {
		t.Errorf("the ring goes through %s:\n%v", path, cycle)
	}
	r.want("q p free")
}
