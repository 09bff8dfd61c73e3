package syncx_test

import (
	"context"
	"fmt"
	"strconv"
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

func (h *harness) stamp() stringStep {
	return step.Map(func(name string) string {
		h.Recordf("%s@%s", name, strconv.FormatFloat(float64(h.Now())/float64(ms), 'f', -1, 64))
		return name
	})
}

// at starts a run of s at the given time of the loop.
func (h *harness) at(at time.Duration, name string, s stringStep) {
	_, err := h.Deferred(at-h.Now(), func() {
		h.start(name, s).Then(func(_ string, err error) {
			if err != nil {
				h.Recordf("%s!%s", name, fault.CodeOf(err))
			}
		})
	})
	if err != nil {
		h.t.Error(err)
	}
}

func TestThrottle(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		max          int
		at           []time.Duration // when flows a, b, c… ask
		want         string
	}{
		{"the first entry opens the first window", "not the making of the throttle", 1,
			[]time.Duration{70 * ms, 75 * ms}, "a@70 b@170"},
		{"at most max per window, in order", "three windows", 2,
			[]time.Duration{0, 0, 0, 0, 0}, "a@0 b@0 c@100 d@100 e@200"},
		{"without drift while there is demand", "b's window ends at 200, not 150 after it", 1,
			[]time.Duration{0, 50 * ms, 150 * ms, 299 * ms}, "a@0 b@100 c@200 d@300"},
		{"without demand the next entry opens a window", "the first ended at 100 with nobody waiting", 1,
			[]time.Duration{0, 150 * ms, 160 * ms}, "a@0 b@150 c@250"},
		{"an entry at the very end of a window is in the next", "windows are half open", 1,
			[]time.Duration{0, 100 * ms}, "a@0 b@100"},
		{"room in the window is used at once", "no queue, no wait", 3,
			[]time.Duration{0, 99 * ms, 99 * ms, 99 * ms}, "a@0 b@99 c@99 d@100"},
		{"a window after a partly used one", "e opens at 250, f has room in it", 2,
			[]time.Duration{0, 0, 10 * ms, 250 * ms, 260 * ms, 270 * ms}, "a@0 b@0 c@100 d@250 e@260 f@350"},
	} {
		t.Run("G3 "+c.name, func(t *testing.T) {
			h := newHarness(t)
			throttle := syncx.NewThrottle(c.max, 100*ms, -1)
			s := syncx.Sync(throttle, h.stamp())
			for i, at := range c.at {
				h.at(at, string(rune('a'+i)), s)
			}
			h.Run()
			h.WantEvents(c.want)
			wantStats(t, throttle, 0, 0)
		})
	}
	t.Run("G3 leaving gives nothing back, staying takes nothing more", func(t *testing.T) {
		h := newHarness(t)
		throttle := syncx.NewThrottle(1, 100*ms, -1)
		long := syncx.Sync(throttle, flow.Then(h.stamp(), h.recordedDelay(250*ms)))
		h.start("a", long)
		h.start("b", long)
		h.Advance(150 * ms)
		wantStats(t, throttle, 2, 0)
		h.Run()
		h.WantEvents("a@0 +a b@100 +b -a -b")
		wantStats(t, throttle, 0, 0)
	})
	t.Run("G3 re-entry counts and waits too", func(t *testing.T) {
		h := newHarness(t)
		throttle := syncx.NewThrottle(1, 100*ms, -1)
		h.start("a", syncx.Sync(throttle, flow.Then(h.stamp(), syncx.Sync(throttle, h.stamp()))))
		h.start("b", syncx.Sync(throttle, h.stamp()))
		h.Run()
		h.WantEvents("a@0 a@100 b@200")
		wantStats(t, throttle, 0, 0)
	})
	t.Run("G3 errors and cancels inside give nothing back", func(t *testing.T) {
		h := newHarness(t)
		throttle := syncx.NewThrottle(1, 100*ms, -1)
		h.at(0, "a", syncx.Sync(throttle, plantest.Fail[string, string](errBody)))
		h.at(ms, "b", syncx.Sync(throttle, h.stamp()))
		h.Run()
		h.WantEvents("a!InternalError b@100")
		wantStats(t, throttle, 0, 0)
	})
	t.Run("G3 who leaves the queue leaves its turn to others", func(t *testing.T) {
		h := newHarness(t)
		throttle := syncx.NewThrottle(1, 100*ms, -1)
		s := syncx.Sync(throttle, h.stamp())
		h.at(0, "a", s)
		h.at(1*ms, "b", flow.Timeout(50*ms, s))
		h.at(2*ms, "c", s)
		h.at(3*ms, "d", flow.Timeout(150*ms, s))
		h.at(4*ms, "e", s)
		h.Run()
		h.WantEvents("a@0 b!Timeout c@100 d!Timeout e@200")
		wantStats(t, throttle, 0, 0)
	})
	t.Run("G3 an empty queue leaves no timer behind", func(t *testing.T) {
		h := newHarness(t)
		throttle := syncx.NewThrottle(1, time.Hour, -1)
		h.start("a", syncx.Sync(throttle, h.stamp()))
		b := h.start("b", syncx.Sync(throttle, h.stamp()))
		h.Advance(ms)
		wantStats(t, throttle, 0, 1)
		b.Cancel(nil)
		h.Advance(ms)
		if n := h.Pending(); n != 0 {
			t.Errorf("%d timers are left", n)
		}
		h.WantEvents("a@0")
	})
	for _, c := range []struct {
		maxQueue int
		want     string
	}{
		{0, "a@0 b!DefenseRejected c!DefenseRejected d!DefenseRejected"},
		{2, "a@0 d!DefenseRejected b@100 c@200"},
		{-1, "a@0 b@100 c@200 d@300"},
	} {
		t.Run(fmt.Sprintf("G5 queue limit %d", c.maxQueue), func(t *testing.T) {
			h := newHarness(t)
			throttle := syncx.NewThrottle(1, 100*ms, c.maxQueue)
			s := syncx.Sync(throttle, h.stamp())
			for _, name := range []string{"a", "b", "c", "d"} {
				h.at(0, name, s)
			}
			h.Run()
			h.WantEvents(c.want)
			wantStats(t, throttle, 0, 0)
		})
	}
}

// laggingLoop executes timers late: its clock is ahead of the timers by lag.
type laggingLoop struct {
	*tooltest.Loop
	host *tool.Host
	lag  time.Duration
}

func (l *laggingLoop) Host() *tool.Host { return l.host }

// G3: the windows that a blocked loop has missed are lost. Later windows still begin at whole periods.
func TestThrottleLateLoop(t *testing.T) {
	h := newHarness(t)
	l := &laggingLoop{Loop: h.Loop}
	l.host = tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration { return h.Now() + l.lag }))
	throttle := syncx.NewThrottle(1, 100*ms, -1)
	s := syncx.Sync(throttle, h.stamp())
	for _, name := range []string{"a", "b", "c", "d"} {
		flow.Start(context.Background(), l, s, name)
	}
	h.Advance(0)
	l.lag = 250 * ms
	h.Run()
	// By the clock of l, the first timer, for 100, is executed at 350. The next windows end at 400 and 500.
	h.WantEvents("a@0 b@100 c@150 d@250")
	wantStats(t, throttle, 0, 0)
}

// On a loop that takes no timers, flows that have to wait fail, and no others.
func TestThrottleLoopWithoutTimers(t *testing.T) {
	h, good := newHarness(t), newHarness(t)
	throttle := syncx.NewThrottle(1, 100*ms, -1)
	broken := &timerlessLoop{h.Loop}
	first := flow.Start(context.Background(), broken, syncx.Sync(throttle, h.stamp()), "a")
	second := flow.Start(context.Background(), broken, syncx.Sync(throttle, h.stamp()), "b")
	h.Run()
	wantResult(t, first, "a")
	wantErr(t, second, tool.ErrShutdown)
	third := good.start("c", syncx.Sync(throttle, good.stamp()))
	good.Run()
	good.WantEvents("c@100")
	wantResult(t, third, "c")
	h.WantEvents("a@0")
	wantStats(t, throttle, 0, 0)
}

type timerlessLoop struct{ *tooltest.Loop }

func (*timerlessLoop) Deferred(time.Duration, func()) (tool.Handle, error) {
	return 0, tool.ErrShutdown
}

// G3: the timer moves to the loop of the first flow in the queue, for the time that is left.
func TestThrottleOnTwoLoops(t *testing.T) {
	a, b := newHarness(t), newHarness(t)
	throttle := syncx.NewThrottle(1, 100*ms, -1)
	b.Advance(5000 * ms) // the clocks of two loops are independent
	a.start("a1", syncx.Sync(throttle, a.stamp()))
	a2 := a.start("a2", syncx.Sync(throttle, a.stamp()))
	a.Advance(30 * ms)
	b.start("b1", syncx.Sync(throttle, b.stamp()))
	b.start("b2", syncx.Sync(throttle, b.stamp()))
	b.Advance(0)
	wantStats(t, throttle, 0, 3)
	a2.Cancel(nil)
	a.Run() // after this the loop never runs again
	a.WantEvents("a1@0")
	b.Run()
	b.WantEvents("b1@5070 b2@5170")
	wantStats(t, throttle, 0, 0)
}

// A new entry may end a window before the timer does. If the throttle goes over to another loop, it sets a timer there.
func TestThrottleTimerOfFormerLoop(t *testing.T) {
	h, other := newHarness(t), newHarness(t)
	l := &laggingLoop{Loop: h.Loop}
	l.host = tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration { return h.Now() + l.lag }))
	throttle := syncx.NewThrottle(2, 100*ms, -1)
	for _, name := range []string{"a", "b", "c"} {
		flow.Start(context.Background(), l, syncx.Sync(throttle, h.stamp()), name)
	}
	h.Advance(0)
	l.lag = 150 * ms // the window is over, but its timer isn't executed
	other.start("d", syncx.Sync(throttle, other.stamp()))
	other.Advance(0) // ends the window: c and d are let in
	wantStats(t, throttle, 1, 0)
	l.lag = 350 * ms // the next window is over too
	for _, name := range []string{"e", "f", "g"} {
		other.start(name, syncx.Sync(throttle, other.stamp()))
	}
	other.Run()
	other.WantEvents("d@0 e@0 f@0 g@100")
	h.Advance(0)
	h.WantEvents("a@0 b@0 c@0")
	wantStats(t, throttle, 0, 0)
}
