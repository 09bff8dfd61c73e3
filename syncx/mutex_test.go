package syncx_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMutex(t *testing.T) {
	t.Run("G2 at most max inside, first come first served", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(2, -1)
		s := syncx.Sync(m, h.recordedDelay(10*ms))
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			h.start(name, s)
		}
		h.Advance(0)
		wantStats(t, m, 2, 3)
		h.Run()
		h.WantEvents("+a +b -a -b +c +d -c -d +e -e")
		wantStats(t, m, 0, 0)
	})
	t.Run("G2 a newcomer doesn't overtake the queue", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(1, -1)
		s := syncx.Sync(m, h.recordedDelay(10*ms))
		h.start("a", s)
		h.start("b", s)
		// c asks at the time when a leaves.
		h.start("c", flow.Then(h.recordedDelay(10*ms), s))
		h.Run()
		h.WantEvents("+a +c -a -c +b -b +c -c")
	})
	t.Run("G2 a withdrawal keeps the order of the others", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(1, -1)
		s := syncx.Sync(m, h.recordedDelay(10*ms))
		var runs []run
		for i := range 7 {
			runs = append(runs, h.start(fmt.Sprint(i), s))
		}
		h.Advance(0)
		for _, i := range []int{1, 3, 6} { // first, middle, last of the queue
			runs[i].Cancel(nil)
		}
		h.Run()
		h.WantEvents("+0 -0 +2 -2 +4 -4 +5 -5")
	})
	for _, c := range []struct {
		maxQueue, rejected int
	}{{0, 3}, {1, 2}, {3, 0}, {-1, 0}} {
		t.Run(fmt.Sprintf("G5 queue limit %d", c.maxQueue), func(t *testing.T) {
			h := newHarness(t)
			m := syncx.NewMutex(1, c.maxQueue)
			s := syncx.Sync(m, h.recordedDelay(ms))
			rejected := 0
			for i := range 4 {
				h.start(fmt.Sprint(i), s).Then(func(_ string, err error) {
					if fault.CodeOf(err) == fault.DefenseRejected {
						rejected++
						if h.Now() != 0 {
							t.Errorf("rejected after %v, want at once", h.Now())
						}
					}
				})
			}
			h.Run()
			if rejected != c.rejected {
				t.Errorf("%d rejected, want %d", rejected, c.rejected)
			}
			wantStats(t, m, 0, 0)
		})
	}
	t.Run("G5 a withdrawal makes room in the queue", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(1, 1)
		s := syncx.Sync(m, h.recordedDelay(ms))
		h.start("a", s)
		b := h.start("b", s)
		h.Advance(0)
		b.Cancel(nil)
		h.Advance(0)
		c := h.start("c", s)
		h.Run()
		h.WantEvents("+a -a +c -c")
		wantResult(t, c, "c")
	})
}

func TestMutexReentry(t *testing.T) {
	t.Run("G2 re-entry by the same fiber doesn't block", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(1, 0)
		count := func(at string) stringStep {
			return step.Map(func(name string) string {
				h.Recordf("%s:%d", at, m.Inside())
				return name
			})
		}
		inner := syncx.Sync(m, count("deep"))
		a := h.start("a", flow.Then(syncx.Sync(m, flow.Chain(
			count("in"), syncx.Sync(m, flow.Then(inner, count("mid"))), count("in"))), count("out")))
		h.Run()
		// Leaving the inner section keeps the place.
		h.WantEvents("in:1 deep:1 mid:1 in:1 out:0")
		wantResult(t, a, "a")
	})
	t.Run("G2 also through other guards and through Into", func(t *testing.T) {
		h := newHarness(t)
		m, other := syncx.NewMutex(1, 0), syncx.NewMutex(1, 0)
		inner := syncx.Sync(m, h.mark("inner"))
		a := h.start("a", syncx.Sync(m, syncx.Sync(other, step.New(func(as step.Scope, in string) step.Next[string] {
			return step.Into(as, inner, in)
		}))))
		h.Run()
		h.WantEvents("inner")
		wantResult(t, a, "a")
		wantStats(t, m, 0, 0)
		wantStats(t, other, 0, 0)
	})
	t.Run("G2 an error in a re-entry leaves the outer entry in place", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(1, -1)
		inner := flow.Catch(syncx.Sync(m, plantest.Fail[string, string](errBody)), func(step.Scope, error) step.Next[string] {
			h.Recordf("caught:%d", m.Inside())
			return step.Succeed("x")
		})
		h.start("a", syncx.Sync(m, flow.Then(inner, h.recordedDelay(ms))))
		h.start("b", syncx.Sync(m, h.recordedDelay(ms)))
		h.Run()
		h.WantEvents("caught:1 +x -x +b -b")
		wantStats(t, m, 0, 0)
	})
	t.Run("G2 after leaving, the flow queues like others", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(1, -1)
		s := syncx.Sync(m, h.recordedDelay(ms))
		h.start("a", flow.Then(s, s))
		h.start("b", s)
		h.Run()
		h.WantEvents("+a -a +b -b +a -a")
	})
}

func TestMutexAndBranches(t *testing.T) {
	t.Run("P4 siblings are flows of their own", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(1, -1)
		s := syncx.Sync(m, h.recordedDelay(ms))
		a := h.start("a", flow.Then(flow.Par[string](s, s, s), step.Map(func(all []string) string { return fmt.Sprint(len(all)) })))
		h.Advance(0)
		wantStats(t, m, 1, 2)
		h.Run()
		h.WantEvents("+a -a +a -a +a -a")
		wantResult(t, a, "3")
	})
	t.Run("P4 a branch doesn't inherit its parent's entry", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(1, 0)
		branch := flow.Catch(syncx.Sync(m, h.mark("never")), func(_ step.Scope, err error) step.Next[string] {
			return step.Succeed(string(fault.CodeOf(err)))
		})
		a := h.start("a", syncx.Sync(m, flow.Then(flow.Par[string](branch), step.Map(func(all []string) string { return all[0] }))))
		h.Run()
		h.WantEvents("")
		wantResult(t, a, "DefenseRejected")
	})
	t.Run("P4 the parent re-enters after its branches", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(2, 0)
		a := h.start("a", syncx.Sync(m, flow.Then(
			flow.Then(flow.Par[string](syncx.Sync(m, h.mark("branch"))), step.Map(func(all []string) string { return all[0] })),
			syncx.Sync(m, h.mark("again")))))
		h.Run()
		h.WantEvents("branch again")
		wantResult(t, a, "a")
		wantStats(t, m, 0, 0)
	})
	t.Run("G1 around a fork: all branches inside of one entry, left once on their error", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(1, 0)
		g := &recordingGuard{m, h}
		late := flow.Then(h.recordedDelay(2*ms), plantest.Fail[string, string](errBody))
		h.start("a", h.recordError("outer", syncx.Sync(g, flow.Then(
			flow.Par(h.recordedDelay(ms), late, h.recordedDelay(9*ms)), step.Map(func([]string) string { return "" })))))
		h.Run()
		h.WantEvents("enter +a +a +a -a -a ~a leave outer!InternalError")
		wantStats(t, m, 0, 0)
	})
}

// G2: a place that becomes free on one loop is taken on the other.
func TestMutexOnTwoLoops(t *testing.T) {
	a, b := newHarness(t), newHarness(t)
	m := syncx.NewMutex(1, -1)
	first := a.start("first", syncx.Sync(m, a.recordedDelay(ms)))
	a.Advance(0)
	second := b.start("second", syncx.Sync(m, b.recordedDelay(ms)))
	b.Advance(0)
	third := a.start("third", syncx.Sync(m, a.recordedDelay(ms)))
	a.Advance(0)
	wantStats(t, m, 1, 2)
	a.Run()
	a.WantEvents("+first -first")
	b.WantEvents("")
	wantStats(t, m, 1, 1) // second has the place, and third waits
	b.Run()
	a.Run()
	b.Run()
	a.WantEvents("+third -third")
	b.WantEvents("+second -second")
	for _, r := range []run{first, second, third} {
		if _, err := r.Result(); err != nil {
			t.Error(err)
		}
	}
	wantStats(t, m, 0, 0)
}

func TestMutexInAnyOrder(t *testing.T) {
	for seed := range uint64(200) {
		h := newHarness(t)
		h.Loop = tooltest.New(tooltest.WithSeed(seed))
		m := syncx.NewMutex(2, -1)
		inside, ended := 0, 0
		body := step.New(func(as step.Scope, in string) step.Next[string] {
			if inside++; inside > 2 {
				t.Fatalf("seed %d: %d inside", seed, inside)
			}
			step.StackCleanup(as, func(*int) { inside-- })
			return step.Wait(as, func(done step.Done[string]) {
				_, _ = h.Deferred(ms, func() {
					if done.Succeed(in) {
						_, _ = h.Immediate(func() {})
					}
				})
			})
		})
		s := syncx.Sync(m, body)
		for i := range 8 {
			run := h.start("x", flow.Timeout(3*ms, s))
			run.Then(func(string, error) { ended++ })
			if i%3 == 0 {
				_, _ = h.Deferred(ms, func() { run.Cancel(nil) })
			}
		}
		h.Run()
		if ended != 8 || inside != 0 {
			t.Fatalf("seed %d: %d ended, %d inside", seed, ended, inside)
		}
		wantStats(t, m, 0, 0)
	}
}

// A deterministic loop reports the grant that comes from another loop, and doesn't take it. Its error handler may use the
// mutex.
func TestMutexOfADeterministicLoop(t *testing.T) {
	m := syncx.NewMutex(1, -1)
	told := make(chan error, 1)
	other := tool.NewManual(tool.Options{})
	loop := tool.NewManual(tool.Options{Host: []tool.HostOption{tool.WithDeterministic()}, OnError: func(err error) {
		looked := make(chan struct{})
		go func() {
			m.Inside()
			close(looked)
		}()
		select {
		case <-looked:
		case <-time.After(time.Second):
			t.Error("the error handler is called while the mutex is locked")
		}
		told <- err
	}})
	var leave step.Done[string]
	inside := step.New(func(as step.Scope, _ string) step.Next[string] {
		return step.Wait(as, func(done step.Done[string]) { leave = done })
	})
	flow.Start(t.Context(), other, syncx.Sync(m, inside), "a")
	other.Iterate()
	b := flow.Start(t.Context(), loop, syncx.Sync(m, inside), "b")
	loop.Iterate()
	leave.Succeed("")
	other.Iterate()
	if err := <-told; fault.CodeOf(err) != fault.InternalError {
		t.Errorf("reported %v", err)
	}
	b.Cancel(nil)
	loop.Iterate()
	wantErr(t, b, fault.Cancelled)
	wantStats(t, m, 0, 0)
}
