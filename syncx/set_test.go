package syncx_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// Flows that are inside or wait stay, and those for which there is room enter.
func TestG13SetLimitsOfMutex(t *testing.T) {
	h := newHarness(t)
	m := syncx.NewMutex(1, -1)
	inside := syncx.Sync(m, h.recordedDelay(10*ms))
	for _, name := range []string{"a", "b", "c", "d"} {
		h.start(name, inside)
	}
	h.Advance(0)
	h.WantEvents("+a")
	set := func(maximum, maxQueue int) {
		t.Helper()
		if err := m.SetLimits(maximum, maxQueue); err != nil || m.Capacity() != maximum {
			t.Error(err, m.Capacity())
		}
		h.Advance(0)
	}
	set(3, 1)
	h.WantEvents("+b +c")
	late := h.start("e", inside)
	h.Advance(0)
	if _, err := late.Result(); fault.CodeOf(err) != fault.DefenseRejected || !errors.Is(err, fault.DefenseRejected) {
		t.Errorf("the queue has room for one, and got a second one: %v", err)
	}
	set(1, 0) // three are inside, and one waits
	h.start("f", syncx.Sync(m, h.recordedDelay(ms)))
	h.Advance(10 * ms)
	h.WantEvents("-a -b -c +d")
	h.Advance(10 * ms)
	h.WantEvents("-d")
	if m.Inside() != 0 || m.Queued() != 0 {
		t.Error(m.Inside(), m.Queued())
	}
	if err := m.SetLimits(0, 0); fault.CodeOf(err) != fault.InvalidRequest || m.Capacity() != 1 {
		t.Error(err, m.Capacity())
	}
	if err := syncx.NewMutex(0, 0).SetLimits(1, 0); err == nil {
		t.Error("a Mutex that isn't well formed was mended")
	}
}

// A waiting section that is too heavy for the new limits fails, and doesn't hold up those behind it.
func TestG13SetLimitsOfHeavySections(t *testing.T) {
	h := newHarness(t)
	m := syncx.NewMutex(5, -1)
	throttle := syncx.NewThrottle(5, time.Second, -1)
	weight := func(name string) int { return len(name) }
	for _, g := range []syncx.Guard{m, throttle} {
		s := syncx.SyncWeighted(g, weight, h.recordedDelay(ms))
		h.start("aaaaa", s)
		heavy := h.start("bbbb", s)
		light := h.start("cc", s)
		h.Advance(0)
		var err error
		if g == syncx.Guard(m) {
			err = m.SetLimits(3, -1)
		} else {
			err = throttle.SetLimits(3, time.Second, -1)
		}
		if err != nil {
			t.Error(err)
		}
		h.Advance(2 * time.Second)
		if _, err := heavy.Result(); err == nil {
			t.Errorf("%T let in a section of the weight 4 with a maximum of 3", g)
		} else if w, ok := fault.AsType[*syncx.WeightError](err); !ok || w.Capacity != 3 {
			t.Errorf("%T: %v", g, err)
		}
		if _, err := light.Result(); err != nil {
			t.Errorf("%T: behind the heavy section: %v", g, err)
		}
	}
}

func TestG13SetLimitsOfThrottle(t *testing.T) {
	h := newHarness(t)
	throttle := syncx.NewThrottle(1, 100*ms, -1)
	s := syncx.Sync(throttle, h.mark("%s"))
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		h.start(name, s)
	}
	h.Advance(0)
	h.WantEvents("a")
	if err := throttle.SetLimits(2, 10*ms, -1); err != nil || throttle.Capacity() != 2 {
		t.Error(err)
	}
	h.Advance(0)
	h.WantEvents("b") // of the window that is under way
	h.Advance(99 * ms)
	h.WantEvents("")
	h.Advance(ms)
	h.WantEvents("c d")
	h.Advance(10 * ms)
	h.WantEvents("e")
	for _, err := range []error{throttle.SetLimits(0, ms, 0), throttle.SetLimits(1, 0, 0), syncx.NewThrottle(0, 0, 0).SetLimits(1, ms, 0)} {
		if fault.CodeOf(err) != fault.InvalidRequest || throttle.Capacity() != 2 {
			t.Error(err)
		}
	}
}

func TestG13SetLimitsOfLimiter(t *testing.T) {
	h := newHarness(t)
	l := syncx.NewLimiter(syncx.Limits{Concurrent: 1, MaxQueue: 10, Rate: 10})
	s := syncx.Sync(l, h.recordedDelay(10*ms))
	for _, name := range []string{"a", "b", "c"} {
		h.start(name, s)
	}
	h.Advance(0)
	if err := l.SetLimits(syncx.Limits{Concurrent: 2, Rate: 10}); err != nil || l.Capacity() != 2 {
		t.Error(err)
	}
	h.Advance(0)
	h.WantEvents("+a +b")
	for _, limits := range []syncx.Limits{{Concurrent: -1}, {Rate: -1}, {Period: -1}} {
		if err := l.SetLimits(limits); fault.CodeOf(err) != fault.InvalidRequest || l.Capacity() != 2 {
			t.Error(limits, err)
		}
	}
	h.Advance(20 * ms)
	h.WantEvents("-a -b +c -c")
}

func TestG13SetPolicyOfAdaptive(t *testing.T) {
	h := newHarness(t)
	var changes []string
	a := syncx.NewAdaptive(syncx.AdaptivePolicy{
		Name: "db", Min: 1, Max: 10, Start: 2, MaxQueue: -1, OnChange: func(from, to int) { changes = append(changes, fmt.Sprint(from, "→", to)) },
	})
	s := syncx.Sync(a, h.recordedDelay(10*ms))
	for _, name := range []string{"a", "b", "c", "d"} {
		h.start(name, s)
	}
	h.Advance(0)
	h.WantEvents("+a +b")
	p := a.Policy()
	if p.Name != "db" || p.Tolerance != 1.5 || p.Overload == nil || p.OnChange == nil {
		t.Errorf("%+v", p)
	}
	p.Name, p.OnChange, p.Min, p.Max = "other", nil, 3, 3 // by hand
	if err := a.SetPolicy(p); err != nil || a.Capacity() != 3 || a.String() != "adaptive limit db" {
		t.Error(err, a.Capacity(), a)
	}
	h.Advance(0)
	h.WantEvents("+c")
	p.Min, p.Max = 1, 100
	if err := a.SetPolicy(p); err != nil || a.Capacity() != 3 {
		t.Error(err, a.Capacity())
	}
	p.Min = 200
	if err := a.SetPolicy(p); fault.CodeOf(err) != fault.InvalidRequest || a.Policy().Min != 1 {
		t.Error(err)
	}
	if got := fmt.Sprint(changes); got != "[2→3]" {
		t.Error(got)
	}
	if err := syncx.NewAdaptive(syncx.AdaptivePolicy{Min: -1}).SetPolicy(p); err == nil {
		t.Error("an Adaptive that isn't well formed was mended")
	}
	h.Run()
}

// Outcomes go on counting if neither Last nor Window changes.
func TestG13SetPolicyOfBreakerWithAWindow(t *testing.T) {
	h := newHarness(t)
	b := syncx.NewBreaker(syncx.BreakerPolicy{Window: time.Minute, Failures: 5})
	_ = h.call(b, end{0, errDown})
	p := b.Policy()
	p.Failures = 7
	if err := b.SetPolicy(p); err != nil {
		t.Fatal(err)
	}
	if n, failures := b.Counts(); n != 1 || failures != 1 {
		t.Errorf("counts %d outcomes, %d of them failures", n, failures)
	}
}

// A half-open breaker closes at once if enough probes have succeeded for the new policy.
func TestG13FewerProbesOfAHalfOpenBreaker(t *testing.T) {
	h := newHarness(t)
	var changes []string
	b := syncx.NewBreaker(syncx.BreakerPolicy{
		Failures: 1, Pause: time.Minute, Probes: 3,
		OnChange: func(from, to syncx.BreakerState) { changes = append(changes, fmt.Sprint(from, "→", to)) },
	})
	_ = h.call(b, end{0, errDown})
	h.Advance(time.Minute)
	if err := h.call(b, end{}); err != nil || b.State() != syncx.HalfOpen {
		t.Fatal(err, b.State())
	}
	p := b.Policy()
	p.Probes = 2
	if err := b.SetPolicy(p); err != nil || b.State() != syncx.HalfOpen {
		t.Fatal(err, b.State())
	}
	p.Probes = 1
	if err := b.SetPolicy(p); err != nil || b.State() != syncx.Closed {
		t.Error(err, b.State())
	}
	if err := h.call(b, end{}); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(changes); got != "[closed→open open→half-open half-open→closed]" {
		t.Error(got)
	}
}

func TestG13SetPolicyOfBreaker(t *testing.T) {
	h := newHarness(t)
	b := syncx.NewBreaker(syncx.BreakerPolicy{Name: "db", Failures: 5, Pause: time.Hour})
	fails := func(n int) {
		for range n {
			_ = h.call(b, end{0, errDown})
		}
	}
	fails(2)
	p := b.Policy()
	if p.Name != "db" || p.Probes != 1 || p.Last != 5 {
		t.Errorf("%+v", p)
	}
	p.Name, p.Failures = "other", 3 // the two failures count, because Last is the same
	if err := b.SetPolicy(p); err != nil || b.String() != "breaker db" {
		t.Error(err, b)
	}
	if n, failures := b.Counts(); n != 2 || failures != 2 {
		t.Error(n, failures)
	}
	fails(1)
	if b.State() != syncx.Open {
		t.Fatal(b.State())
	}
	h.Advance(time.Minute)
	p.Pause = 61 * time.Second // from the beginning of the pause
	if err := b.SetPolicy(p); err != nil {
		t.Error(err)
	}
	if err := h.call(b, end{}); fault.CodeOf(err) != syncx.CircuitOpen {
		t.Error(err)
	}
	h.Advance(time.Second)
	if err := h.call(b, end{}); err != nil || b.State() != syncx.Closed {
		t.Error(err, b.State())
	}
	fails(1)
	p.Last = 7
	if err := b.SetPolicy(p); err != nil {
		t.Error(err)
	}
	if n, _ := b.Counts(); n != 0 {
		t.Errorf("%d outcomes of before count among the last 7", n)
	}
	p.Rate = 2
	if err := b.SetPolicy(p); fault.CodeOf(err) != fault.InvalidRequest || b.Policy().Rate != 0 {
		t.Error(err)
	}
	if err := syncx.NewBreaker(syncx.BreakerPolicy{Rate: 2}).SetPolicy(b.Policy()); err == nil {
		t.Error("a Breaker that isn't well formed was mended")
	}
	if p := new(syncx.Breaker).Policy(); p.Probes != 0 {
		t.Errorf("%+v", p)
	}
}

func TestG13BreakerByHand(t *testing.T) {
	h := newHarness(t)
	var changes []string
	b := syncx.NewBreaker(syncx.BreakerPolicy{
		Name: "db", Failures: 2, Pause: ms, OnChange: func(from, to syncx.BreakerState) { changes = append(changes, fmt.Sprint(from, "→", to)) },
	})
	_ = h.call(b, end{0, errDown})
	inside := flow.Start(context.Background(), h.Loop, syncx.Sync(b, ending(h)), end{20 * ms, errDown})
	h.Advance(0)
	b.Isolate()
	b.Isolate()
	h.Advance(time.Hour) // the pause doesn't end
	if err := h.call(b, end{}); fault.CodeOf(err) != syncx.CircuitOpen || b.State() != syncx.Open {
		t.Error(err, b.State())
	} else if refused, ok := fault.AsType[*syncx.Refusal](err); !ok || refused.After != 0 || refused.Error() != "breaker db is open" {
		t.Error(refused)
	}
	if _, err := inside.Result(); !errors.Is(err, errDown) {
		t.Errorf("the section that was inside: %v", err)
	}
	b.Reset()
	if n, _ := b.Counts(); b.State() != syncx.Closed || n != 0 {
		t.Error(b.State(), n)
	}
	_ = h.call(b, end{0, errDown})
	b.Reset() // forgets the failure
	_ = h.call(b, end{0, errDown})
	if b.State() != syncx.Closed {
		t.Error("a failure of before Reset counts")
	}
	_ = h.call(b, end{0, errDown})
	b.Isolate() // while it is open by itself
	h.Advance(time.Hour)
	if err := h.call(b, end{}); fault.CodeOf(err) != syncx.CircuitOpen {
		t.Error(err)
	}
	b.Reset()
	if got := fmt.Sprint(changes); got != "[closed→open open→closed closed→open open→closed]" {
		t.Error(got)
	}
	bad := syncx.NewBreaker(syncx.BreakerPolicy{Rate: 2})
	bad.Isolate()
	bad.Reset()
	new(syncx.Breaker).Isolate()
}

func TestG13OnChangePanics(t *testing.T) {
	told := 0
	b := syncx.NewBreaker(syncx.BreakerPolicy{OnChange: func(_, to syncx.BreakerState) {
		if told++; to == syncx.Open {
			panic("a defect")
		}
	}})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		b.Isolate()
	}()
	b.Reset()
	if told != 2 {
		t.Errorf("told of %d changes", told)
	}
}

func TestG13ChangesWhileInUse(t *testing.T) {
	group := tool.NewGroup(2, tool.Options{})
	m := syncx.NewMutex(2, -1)
	throttle := syncx.NewThrottle(1000, ms, -1)
	bucket := syncx.NewTokenBucket(1000, ms, 10, -1)
	a := syncx.NewAdaptive(syncx.AdaptivePolicy{MaxQueue: -1, Window: ms})
	b := syncx.NewBreaker(syncx.BreakerPolicy{Pause: ms})
	fails := step.Func(func(_ step.Scope, n int) (int, error) {
		if n%7 == 0 {
			return n, errDown
		}
		return n, nil
	})
	s := syncx.Sync(m, syncx.Sync(throttle, syncx.Sync(bucket, syncx.Sync(a, flow.OrElse(syncx.Sync(b, fails), 0)))))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for n := range 300 {
				run := flow.Start(t.Context(), group.Next(), s, n)
				if _, err := run.Wait(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range 200 {
		ap, bp := a.Policy(), b.Policy()
		ap.Max, bp.Failures, bp.Last = 20+n, 1+n%5, 5+n%3
		for _, err := range []error{m.SetLimits(1+n%3, -1), throttle.SetLimits(500+n, ms, -1), bucket.SetLimits(500+n, ms, 1+n%7, -1), a.SetPolicy(ap), b.SetPolicy(bp)} {
			if err != nil {
				t.Error(err)
			}
		}
		if n%20 == 0 {
			b.Isolate()
			b.Reset()
		}
	}
	wg.Wait()
	if err := group.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if m.Inside()+throttle.Inside()+bucket.Inside()+a.Inside()+b.Inside() != 0 {
		t.Error(m.Inside(), throttle.Inside(), bucket.Inside(), a.Inside(), b.Inside())
	}
}
