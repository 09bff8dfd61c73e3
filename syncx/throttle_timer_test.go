package syncx_test

import (
	"context"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// lateCancelLoop can't cancel timers. On a real loop that happens while a timer is being executed.
type lateCancelLoop struct {
	*tooltest.Loop
	timers int
}

func (l *lateCancelLoop) Deferred(d time.Duration, fn func()) (tool.Handle, error) {
	l.timers++
	return l.Loop.Deferred(d, fn)
}

func (l *lateCancelLoop) Cancel(tool.Handle) bool { return false }

func (l *lateCancelLoop) flowAt(h *harness, at time.Duration, name string, s stringStep) *flow.Running[string] {
	h.Advance(at - h.Now())
	return flow.Start(context.Background(), l, s, name)
}

// G3: a timer that couldn't be cancelled doesn't open a window.
func TestThrottleTimerComesForNobody(t *testing.T) {
	h := newHarness(t)
	l := &lateCancelLoop{Loop: h.Loop}
	s := syncx.Sync(syncx.NewThrottle(1, 10*ms, -1), h.stamp())
	l.flowAt(h, 0, "a", s)
	b := l.flowAt(h, 0, "b", s)
	h.Advance(5 * ms)
	b.Cancel(nil) // its timer is executed nevertheless, at 10
	l.flowAt(h, 15*ms, "c", s)
	l.flowAt(h, 21*ms, "d", s)
	h.Run()
	h.WantEvents("a@0 c@15 d@25")
}

func TestThrottleTimerOfSomebodyElse(t *testing.T) {
	h := newHarness(t)
	l := &lateCancelLoop{Loop: h.Loop}
	s := syncx.Sync(syncx.NewThrottle(1, 10*ms, -1), h.stamp())
	l.flowAt(h, 0, "a", s)
	b := l.flowAt(h, 0, "b", s)
	h.Advance(5 * ms)
	b.Cancel(nil)             // doesn't stop its timer, for 10
	l.flowAt(h, 6*ms, "c", s) // sets another timer for 10
	l.flowAt(h, 6*ms, "d", s) // needs a third one, for 20
	h.Run()
	h.WantEvents("a@0 c@10 d@20")
	if l.timers != 3 {
		t.Errorf("%d timers, want 3", l.timers)
	}
}

func TestThrottleTimerMovesToTheLoopOfTheFirst(t *testing.T) {
	a, b := newHarness(t), newHarness(t)
	throttle := syncx.NewThrottle(1, 10*ms, -1)
	a.start("a1", syncx.Sync(throttle, a.stamp()))
	a2 := a.start("a2", syncx.Sync(throttle, a.stamp()))
	a.Advance(0)
	b.start("b", syncx.Sync(throttle, b.stamp()))
	b.Advance(0)
	a2.Cancel(nil)
	a.Advance(0)
	if n := a.Pending(); n != 0 {
		t.Errorf("%d timers are left on the loop of nobody", n)
	}
	b.Run()
	a.WantEvents("a1@0")
	b.WantEvents("b@10")
}
