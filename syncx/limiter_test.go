package syncx_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestLimiter(t *testing.T) {
	// Five flows ask at once; each stays for 30 ms.
	for _, c := range []struct {
		limits syncx.Limits
		want   string
		reason string
	}{
		{syncx.Limits{},
			"a@0 b!DefenseRejected c!DefenseRejected d!DefenseRejected e!DefenseRejected",
			"the defaults: one inside, none waits"},
		{syncx.Limits{Concurrent: 5},
			"a@0 b!DefenseRejected c!DefenseRejected d!DefenseRejected e!DefenseRejected",
			"the rate is one, and burst is none"},
		{syncx.Limits{Rate: 5},
			"a@0 b!DefenseRejected c!DefenseRejected d!DefenseRejected e!DefenseRejected",
			"the queue is none"},
		{syncx.Limits{Concurrent: 5, Rate: 5},
			"a@0 b@0 c@0 d@0 e@0",
			"all fit"},
		{syncx.Limits{MaxQueue: -1, Rate: 5},
			"a@0 b@30 c@60 d@90 e@120",
			"one after the other"},
		{syncx.Limits{MaxQueue: 2, Rate: 5},
			"a@0 d!DefenseRejected e!DefenseRejected b@30 c@60",
			"two wait for a place"},
		{syncx.Limits{Concurrent: 2, MaxQueue: -1, Rate: 5},
			"a@0 b@0 c@30 d@30 e@60",
			"two at a time"},
		{syncx.Limits{Concurrent: 5, Burst: -1, Period: 100 * ms},
			"a@0 b@100 c@200 d@300 e@400",
			"one per period"},
		{syncx.Limits{Concurrent: 5, Burst: 1, Rate: 2, Period: 100 * ms},
			"a@0 b@0 d!DefenseRejected e!DefenseRejected c@100",
			"one waits for the rate"},
		{syncx.Limits{Concurrent: 2, MaxQueue: -1, Rate: 3, Burst: -1, Period: 100 * ms},
			"a@0 b@0 c@30 d@100 e@100",
			"places first, then the rate"},
		{syncx.Limits{Concurrent: 2, MaxQueue: -1, Rate: 3, Burst: 0, Period: 100 * ms},
			"a@0 b@0 c@30 d!DefenseRejected e!DefenseRejected",
			"the rate rejects who had waited for a place, and the place goes on"},
	} {
		t.Run(fmt.Sprintf("G4 %s %+v", c.reason, c.limits), func(t *testing.T) {
			h := newHarness(t)
			l := syncx.NewLimiter(c.limits)
			s := syncx.Sync(l, flow.Then(h.stamp(), quiet(h, 30*ms)))
			for i := range 5 {
				h.at(0, string(rune('a'+i)), s)
			}
			h.Run()
			h.WantEvents(c.want)
			wantStats(t, l, 0, 0)
		})
	}
	t.Run("G4 who waits for the rate holds a place", func(t *testing.T) {
		h := newHarness(t)
		l := syncx.NewLimiter(syncx.Limits{MaxQueue: 1, Burst: 1, Period: 100 * ms})
		s := syncx.Sync(l, h.stamp())
		h.at(0, "a", s)
		h.at(10*ms, "b", s) // takes the place, and waits for the rate
		h.at(20*ms, "c", s) // waits for the place
		h.at(30*ms, "d", s)
		h.Advance(50 * ms)
		wantStats(t, l, 0, 2)
		h.Run()
		h.WantEvents("a@0 d!DefenseRejected b@100 c@200")
		wantStats(t, l, 0, 0)
	})
	t.Run("G4 a cancel while waiting for the rate gives the place back", func(t *testing.T) {
		h := newHarness(t)
		l := syncx.NewLimiter(syncx.Limits{MaxQueue: 2, Burst: 1, Period: 100 * ms})
		s := syncx.Sync(l, h.stamp())
		h.at(0, "a", s)
		h.at(10*ms, "b", flow.Timeout(20*ms, s))
		h.at(15*ms, "c", flow.Timeout(5*ms, s)) // its limit passes while it waits for the place
		h.at(20*ms, "d", s)
		h.Run()
		h.WantEvents("a@0 c!Timeout b!Timeout d@100")
		wantStats(t, l, 0, 0)
	})
	t.Run("G2 G3 a re-entry needs no place, but counts for the rate", func(t *testing.T) {
		h := newHarness(t)
		l := syncx.NewLimiter(syncx.Limits{Burst: 1, Period: 100 * ms})
		h.start("a", syncx.Sync(l, flow.Then(h.stamp(), syncx.Sync(l, h.stamp()))))
		h.Run()
		h.WantEvents("a@0 a@100")
		wantStats(t, l, 0, 0)
	})
	t.Run("G4 a re-entry that the rate rejects keeps the place", func(t *testing.T) {
		h := newHarness(t)
		l := syncx.NewLimiter(syncx.Limits{MaxQueue: 1})
		a := h.start("a", syncx.Sync(l, flow.Then(h.recordError("inner", syncx.Sync(l, h.mark("never"))), h.mark("never"))))
		h.Run()
		h.WantEvents("inner!DefenseRejected")
		wantErr(t, a, fault.DefenseRejected)
		wantStats(t, l, 0, 0)
		h.Advance(time.Second)
		b := h.start("b", syncx.Sync(l, h.mark("b")))
		h.Run()
		wantResult(t, b, "b")
		h.WantEvents("b")
	})
}

func quiet(h *harness, d time.Duration) stringStep {
	return step.New(func(as step.Scope, name string) step.Next[string] {
		return step.Wait(as, func(done step.Done[string]) {
			_, _ = h.Deferred(d, func() { done.Succeed(name) })
		})
	})
}

// quitter ends the goroutine that asks it for a value when quits is set.
type quitter struct {
	context.Context
	quits *bool
}

func (q quitter) Value(key any) any {
	if *q.quits {
		runtime.Goexit()
	}
	return q.Context.Value(key)
}

// A flow whose context ends the goroutine when the flow has got its place among the Concurrent gives the place back.
func TestLimiterGoexit(t *testing.T) {
	l := syncx.NewLimiter(syncx.Limits{Rate: 9}).ByPriority(0)
	quits := false
	s := flow.Then(step.Map(func(s string) string { quits = true; return s }), syncx.Sync(l, step.Map(same)))
	loop := tool.Start(tool.Options{OnError: func(error) {}})
	if _, err := flow.Start(quitter{t.Context(), &quits}, loop, s, "").Wait(t.Context()); err == nil {
		t.Error("the first flow has succeeded")
	}
	if _, err := flow.Start(t.Context(), loop, s, "").Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if err := loop.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
