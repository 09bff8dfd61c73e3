package syncx_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// stamp returns a step that notes the name and the time in milliseconds.
func (r *rig) stamp() str {
	return step.Map(func(name string) string {
		r.note("%s@%s", name, strconv.FormatFloat(float64(r.Now())/float64(ms), 'f', -1, 64))
		return name
	})
}

// at starts a run of s when the loop's time is at.
func (r *rig) at(at time.Duration, name string, s str) {
	_, err := r.Deferred(at-r.Now(), func() {
		r.start(name, s).Then(func(_ string, err error) {
			if err != nil {
				r.note("%s!%s", name, fault.CodeOf(err))
			}
		})
	})
	if err != nil {
		r.t.Error(err)
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
			r := newRig(t)
			h := syncx.NewThrottle(c.max, 100*ms, -1)
			s := syncx.Sync(h, r.stamp())
			for i, at := range c.at {
				r.at(at, string(rune('a'+i)), s)
			}
			r.Run()
			r.want(c.want)
			wantStats(t, h, 0, 0)
		})
	}
	t.Run("G3 leaving gives nothing back, staying takes nothing more", func(t *testing.T) {
		r := newRig(t)
		h := syncx.NewThrottle(1, 100*ms, -1)
		long := syncx.Sync(h, flow.Then(r.stamp(), r.stay(250*ms)))
		r.start("a", long)
		r.start("b", long)
		r.Advance(150 * ms)
		wantStats(t, h, 2, 0)
		r.Run()
		r.want("a@0 +a b@100 +b -a -b")
		wantStats(t, h, 0, 0)
	})
	t.Run("G3 re-entry counts and waits too", func(t *testing.T) {
		r := newRig(t)
		h := syncx.NewThrottle(1, 100*ms, -1)
		r.start("a", syncx.Sync(h, flow.Then(r.stamp(), syncx.Sync(h, r.stamp()))))
		r.start("b", syncx.Sync(h, r.stamp()))
		r.Run()
		r.want("a@0 a@100 b@200")
		wantStats(t, h, 0, 0)
	})
	t.Run("G3 errors and cancels inside give nothing back", func(t *testing.T) {
		r := newRig(t)
		h := syncx.NewThrottle(1, 100*ms, -1)
		r.at(0, "a", syncx.Sync(h, fails(errBody)))
		r.at(ms, "b", syncx.Sync(h, r.stamp()))
		r.Run()
		r.want("a!InternalError b@100")
		wantStats(t, h, 0, 0)
	})
	t.Run("G3 who leaves the queue leaves its turn to others", func(t *testing.T) {
		r := newRig(t)
		h := syncx.NewThrottle(1, 100*ms, -1)
		s := syncx.Sync(h, r.stamp())
		r.at(0, "a", s)
		r.at(1*ms, "b", flow.Timeout(50*ms, s))
		r.at(2*ms, "c", s)
		r.at(3*ms, "d", flow.Timeout(150*ms, s))
		r.at(4*ms, "e", s)
		r.Run()
		r.want("a@0 b!Timeout c@100 d!Timeout e@200")
		wantStats(t, h, 0, 0)
	})
	t.Run("G3 an empty queue leaves no timer behind", func(t *testing.T) {
		r := newRig(t)
		h := syncx.NewThrottle(1, time.Hour, -1)
		r.start("a", syncx.Sync(h, r.stamp()))
		b := r.start("b", syncx.Sync(h, r.stamp()))
		r.Advance(ms)
		wantStats(t, h, 0, 1)
		b.Cancel(nil)
		r.Advance(ms)
		if n := r.Pending(); n != 0 {
			t.Errorf("%d timers are left", n)
		}
		r.want("a@0")
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
			r := newRig(t)
			h := syncx.NewThrottle(1, 100*ms, c.maxQueue)
			s := syncx.Sync(h, r.stamp())
			for _, name := range []string{"a", "b", "c", "d"} {
				r.at(0, name, s)
			}
			r.Run()
			r.want(c.want)
			wantStats(t, h, 0, 0)
		})
	}
}

// lagging is a loop that executes timers late: its clock shows lag more than the time of the timers.
type lagging struct {
	*tooltest.Loop
	host *tool.Host
	lag  time.Duration
}

func (l *lagging) Host() *tool.Host { return l.host }

// G3: if a loop was blocked during several windows, these are lost. Later windows still begin at whole periods after
// the first one.
func TestThrottleLateLoop(t *testing.T) {
	r := newRig(t)
	l := &lagging{Loop: r.Loop}
	l.host = tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration { return r.Now() + l.lag }))
	h := syncx.NewThrottle(1, 100*ms, -1)
	s := syncx.Sync(h, r.stamp())
	for _, name := range []string{"a", "b", "c", "d"} {
		flow.Start(context.Background(), l, s, name)
	}
	r.Advance(0)
	l.lag = 250 * ms
	r.Run()
	// The first timer, for 100, is executed at 350. The next windows end at 400 and 500.
	r.want("a@0 b@100 c@150 d@250")
	wantStats(t, h, 0, 0)
}

// If a loop refuses timers, the flows on it that have to wait fail, and no others.
func TestThrottleLoopWithoutTimers(t *testing.T) {
	r, good := newRig(t), newRig(t)
	h := syncx.NewThrottle(1, 100*ms, -1)
	broken := &timerless{r.Loop}
	first := flow.Start(context.Background(), broken, syncx.Sync(h, r.stamp()), "a")
	second := flow.Start(context.Background(), broken, syncx.Sync(h, r.stamp()), "b")
	r.Run()
	wantResult(t, first, "a")
	wantErr(t, second, tool.ErrShutdown)
	third := good.start("c", syncx.Sync(h, good.stamp()))
	good.Run()
	good.want("c@100")
	wantResult(t, third, "c")
	r.want("a@0")
	wantStats(t, h, 0, 0)
}

type timerless struct{ *tooltest.Loop }

func (*timerless) Deferred(time.Duration, func()) (tool.Handle, error) { return 0, tool.ErrShutdown }

// G3 on two loops: the timer moves to the loop of the first flow in the queue, for the time that is left, so a loop
// isn't needed when its runs have ended.
func TestThrottleOnTwoLoops(t *testing.T) {
	a, b := newRig(t), newRig(t)
	h := syncx.NewThrottle(1, 100*ms, -1)
	b.Advance(5000 * ms) // the clocks of two loops are independent
	a.start("a1", syncx.Sync(h, a.stamp()))
	a2 := a.start("a2", syncx.Sync(h, a.stamp()))
	a.Advance(30 * ms)
	b.start("b1", syncx.Sync(h, b.stamp()))
	b.start("b2", syncx.Sync(h, b.stamp()))
	b.Advance(0)
	wantStats(t, h, 0, 3)
	a2.Cancel(nil)
	a.Run() // after this the loop never runs again
	a.want("a1@0")
	b.Run()
	b.want("b1@5070 b2@5170")
	wantStats(t, h, 0, 0)
}

// A new entry may end a window before the timer does. The timer is then cancelled on its own loop, even if the next
// window begins on another one.
func TestThrottleTimerOfFormerLoop(t *testing.T) {
	r, other := newRig(t), newRig(t)
	l := &lagging{Loop: r.Loop}
	l.host = tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration { return r.Now() + l.lag }))
	h := syncx.NewThrottle(2, 100*ms, -1)
	for _, name := range []string{"a", "b", "c"} {
		flow.Start(context.Background(), l, syncx.Sync(h, r.stamp()), name)
	}
	r.Advance(0)
	l.lag = 150 * ms // the window is over, but its timer isn't executed
	other.start("d", syncx.Sync(h, other.stamp()))
	other.Advance(0) // ends the window: c and d are let in
	wantStats(t, h, 1, 0)
	l.lag = 350 * ms // the next window is over too
	for _, name := range []string{"e", "f", "g"} {
		other.start(name, syncx.Sync(h, other.stamp()))
	}
	other.Run()
	other.want("d@0 e@0 f@0 g@100")
	r.Advance(0)
	r.want("a@0 b@0 c@0")
	wantStats(t, h, 0, 0)
}
