package syncx_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// G9: whenever the lease is lost, the guard is left once and is free in the end, what has begun is ended, and the cleanup
// runs at most once.
func TestG9EvictionAtEveryPoint(t *testing.T) {
	outcomes := map[fault.Code]int{}
	for point := 0; ; point++ {
		h := newHarness(t)
		g := newLeased(h)
		cleanups := 0
		work := step.New(func(as step.Scope, name string) step.Next[string] {
			step.StackCleanup(as, func(*int) { cleanups++ })
			return step.Into(as, flow.Then(flow.Par(h.recordedDelay(2*ms), flow.Then(failsOnce(), h.recordedDelay(ms))), step.Map(func([]string) string { return name })), name)
		})
		a := h.start("a", flow.Then(syncx.Sync(g, flow.Then(work, h.recordedDelay(ms))), h.recordedDelay(ms)))
		n := 0
		done := h.RunUntil(func() bool { n++; return n > point })
		live := len(g.given) > 0 && g.last().Live()
		if lost := len(g.given) > 0 && g.last().Lose(errStolen); lost != live {
			t.Errorf("at %d: Lose says %v, Live %v", point, lost, live)
		}
		h.Run()
		err := resultErr(a)
		outcomes[fault.CodeOf(err)]++
		if err != nil && !live || cleanups > 1 || err == nil && cleanups != 1 {
			t.Errorf("at %d, live %v: ended with %v, %d cleanups", point, live, err, cleanups)
		}
		if leaves := count(h.Lines, "leave"); leaves != 1 {
			t.Errorf("at %d: left %d times", point, leaves)
		}
		if begun, ended := count(h.Lines, "+a"), count(h.Lines, "-a")+count(h.Lines, "~a"); begun != ended {
			t.Errorf("at %d: %d begun, %d ended: %v", point, begun, ended, h.Lines)
		}
		wantStats(t, g.mutex, 0, 0)
		if !done {
			break
		}
	}
	if outcomes[syncx.LeaseLost] < 3 || outcomes[""] < 3 {
		t.Errorf("outcomes %v: the points miss something", outcomes)
	}
}

// failsOnce returns a step that fails, and whose handler waits for a callback before it succeeds.
func failsOnce() stringStep {
	return flow.Catch(plantest.Fail[string, string](errBody), func(as step.Scope, _ error) step.Next[string] {
		return step.Wait(as, func(done step.Done[string]) { _, _ = as.Loop().Immediate(func() { done.Succeed("a") }) })
	})
}

func count(log []string, what string) int {
	n := 0
	for _, l := range log {
		if l == what {
			n++
		}
	}
	return n
}

// G9, C3: an eviction comes after a limit around the section has passed, while the section is being left. The error is the
// limit's.
func TestG9EvictionComesAfterALimit(t *testing.T) {
	h := newHarness(t)
	g := newLeased(h)
	a := h.start("a", flow.Timeout(ms, h.recordError("", syncx.Sync(g, flow.Shield(h.recordedDelay(10*ms))))))
	h.Advance(5 * ms)
	if !g.last().Lose(errStolen) {
		t.Error("the section isn't left yet")
	}
	h.Run()
	h.WantEvents("+a -a leave")
	wantErr(t, a, fault.Timeout)
}

func TestG9LimitAfterEviction(t *testing.T) {
	h := newHarness(t)
	g, next := newLeased(h), &learningGuard{syncx.NewMutex(1, 0), h}
	a := h.start("a", flow.Then(
		flow.Catch(syncx.Sync(g, h.recordedDelay(10*ms)), func(step.Scope, error) step.Next[string] { return step.Succeed("a") }),
		flow.Timeout(ms, syncx.Sync(next, h.recordedDelay(10*ms)))))
	h.Advance(ms)
	g.last().Lose(errStolen)
	h.Run()
	h.WantEvents("+a ~a leave +a ~a outer:Timeout@1 leave")
	wantErr(t, a, fault.Timeout)
}

func TestG9EvictionIsOfItsSection(t *testing.T) {
	h := newHarness(t)
	g := newLeased(h)
	a := h.start("a", flow.Then(
		syncx.Sync(g, step.New(func(as step.Scope, in string) step.Next[string] {
			return step.Wait(as, func(done step.Done[string]) {
				_, _ = as.Loop().Immediate(func() {
					done.Succeed(in)
					g.last().Lose(errStolen)
				})
			})
		})),
		flow.Timeout(ms, h.recordedDelay(10*ms))))
	h.Run()
	h.WantEvents("leave +a ~a")
	wantErr(t, a, fault.Timeout)
}
