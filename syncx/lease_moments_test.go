package syncx_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// G9: at whatever moment the lease is lost, the guard is left once, what has begun is ended, the cleanup runs at most
// once, and the guard is free in the end.
func TestG9EvictionAtEveryPoint(t *testing.T) {
	outcomes := map[fault.Code]int{}
	for point := 0; ; point++ {
		r := newRig(t)
		g := newLeased(r)
		cleanups := 0
		work := step.New(func(as step.Scope, name string) step.Next[string] {
			step.StackCleanup(as, func(*int) { cleanups++ })
			return step.Into(as, flow.Then(flow.Par(r.stay(2*ms), flow.Then(fails2(), r.stay(ms))), step.Map(func([]string) string { return name })), name)
		})
		a := r.start("a", flow.Then(syncx.Sync(g, flow.Then(work, r.stay(ms))), r.stay(ms)))
		n := 0
		done := r.RunUntil(func() bool { n++; return n > point })
		live := len(g.given) > 0 && g.last().Live()
		if lost := len(g.given) > 0 && g.last().Lose(errStolen); lost != live {
			t.Errorf("at %d: Lose says %v, Live %v", point, lost, live)
		}
		r.Run()
		err := resultErr(a)
		outcomes[fault.CodeOf(err)]++
		if err != nil && !live || cleanups > 1 || err == nil && cleanups != 1 {
			t.Errorf("at %d, live %v: ended with %v, %d cleanups", point, live, err, cleanups)
		}
		if leaves := count(r.Log, "leave"); leaves != 1 {
			t.Errorf("at %d: left %d times", point, leaves)
		}
		if begun, ended := count(r.Log, "+a"), count(r.Log, "-a")+count(r.Log, "~a"); begun != ended {
			t.Errorf("at %d: %d begun, %d ended: %v", point, begun, ended, r.Log)
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

// fails2 returns a step that fails, and whose handler recovers one turn later.
func fails2() str {
	return flow.Catch(fails(errBody), func(as step.Scope, _ error) step.Next[string] {
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

// G9, C3: an eviction that comes after a limit around the section has passed changes nothing: the error is the limit's,
// although the section hasn't ended yet.
func TestG9EvictionComesAfterALimit(t *testing.T) {
	r := newRig(t)
	g := newLeased(r)
	a := r.start("a", flow.Timeout(ms, r.caught("", syncx.Sync(g, flow.Shield(r.stay(10*ms))))))
	r.Advance(5 * ms)
	if !g.last().Lose(errStolen) {
		t.Error("the section isn't left yet")
	}
	r.Run()
	r.want("+a -a leave")
	wantErr(t, a, fault.Timeout)
}

// G6: after an eviction that was handled, a later limit of the same run is reported to guards as a limit.
func TestG9LimitAfterEviction(t *testing.T) {
	r := newRig(t)
	g, next := newLeased(r), &pupil{syncx.NewMutex(1, 0), r}
	a := r.start("a", flow.Then(
		flow.Catch(syncx.Sync(g, r.stay(10*ms)), func(step.Scope, error) step.Next[string] { return step.Succeed("a") }),
		flow.Timeout(ms, syncx.Sync(next, r.stay(10*ms)))))
	r.Advance(ms)
	g.last().Lose(errStolen)
	r.Run()
	r.want("+a ~a leave +a ~a outer:Timeout@1 leave")
	wantErr(t, a, fault.Timeout)
}

// G9: an eviction that comes after its section doesn't affect a later step.
func TestG9EvictionIsOfItsSection(t *testing.T) {
	r := newRig(t)
	g := newLeased(r)
	a := r.start("a", flow.Then(
		syncx.Sync(g, step.New(func(as step.Scope, in string) step.Next[string] {
			return step.Wait(as, func(done step.Done[string]) {
				_, _ = as.Loop().Immediate(func() {
					done.Succeed(in)
					g.last().Lose(errStolen)
				})
			})
		})),
		flow.Timeout(ms, r.stay(10*ms))))
	r.Run()
	r.want("leave +a ~a")
	wantErr(t, a, fault.Timeout)
}
