package syncx_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// G6: a limit around a section counts if it passes later than usual; a limit inside counts also if it passes earlier.
func TestG6WhoseFaultALimitIs(t *testing.T) {
	const usual = 50 * ms
	around := func(d time.Duration) func(step.Step[int, int]) step.Step[int, int] {
		return func(s step.Step[int, int]) step.Step[int, int] { return flow.Timeout(d, s) }
	}
	itself := func(s step.Step[int, int]) step.Step[int, int] { return s }
	patient := func(took time.Duration) bool { return took > time.Minute }
	for name, c := range map[string]struct {
		policy       syncx.BreakerPolicy
		learns       int // how many sections of the usual length run before
		outer, inner func(step.Step[int, int]) step.Step[int, int]
		deadline     time.Duration
		want         syncx.BreakerState
	}{
		"impatient callers":             {learns: 3, outer: around(30 * ms), want: syncx.Closed},
		"as patient as usual":           {learns: 50, outer: around(usual), want: syncx.Closed},
		"impatient runs":                {learns: 3, deadline: 30 * ms, want: syncx.Closed},
		"it hangs":                      {learns: 3, outer: around(2 * time.Second), want: syncx.Open},
		"it hangs, callers are usual":   {learns: 50, outer: around(80 * ms), want: syncx.Open},
		"it hangs until a deadline":     {learns: 3, deadline: 2 * time.Second, want: syncx.Open},
		"it has hung from the first on": {outer: around(30 * ms), want: syncx.Open},
		"a limit inside":                {learns: 3, inner: around(30 * ms), want: syncx.Open},
		"slow for the policy":           {policy: syncx.BreakerPolicy{Slow: 20 * ms}, outer: around(30 * ms), want: syncx.Open},
		"the policy decides":            {policy: syncx.BreakerPolicy{Outer: patient}, learns: 3, outer: around(2 * time.Second), want: syncx.Closed},
		"the policy blames":             {policy: syncx.BreakerPolicy{Outer: patient}, learns: 3, outer: around(2 * time.Minute), want: syncx.Open},
		"the policy panics":             {policy: syncx.BreakerPolicy{Outer: func(time.Duration) bool { panic("no") }}, learns: 3, outer: around(30 * ms), want: syncx.Open},
		"Failure is asked":              {policy: syncx.BreakerPolicy{Failure: func(error) bool { return false }}, learns: 3, outer: around(time.Hour), want: syncx.Closed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.policy.Failures = 3
				if c.outer == nil {
					c.outer = itself
				}
				if c.inner == nil {
					c.inner = itself
				}
				b := syncx.NewBreaker(c.policy)
				ctx := flow.WithOptions(t.Context(), tool.Options{OnError: func(error) {}})
				for range c.learns {
					_, _ = flow.Run(ctx, syncx.Sync(b, step.Delay[int](usual)), 0)
				}
				for range 3 {
					ctx, cancel := ctx, context.CancelFunc(func() {})
					if c.deadline > 0 {
						ctx, cancel = context.WithTimeout(ctx, c.deadline)
					}
					if _, err := flow.Run(ctx, c.outer(syncx.Sync(b, c.inner(step.Delay[int](24*time.Hour)))), 0); !errors.Is(err, context.DeadlineExceeded) {
						t.Error(err)
					}
					cancel()
				}
				if got := b.State(); got != c.want {
					t.Errorf("the breaker is %v, want %v", got, c.want)
				}
			})
		})
	}
}

// G6: sections that end in the turn in which they began don't count as usual. Outer is told the whole time of a section.
func TestG6UsualIsOfWaits(t *testing.T) {
	for name, c := range map[string]struct {
		policy syncx.BreakerPolicy
		works  time.Duration // in the first turn of the section
		want   syncx.BreakerState
	}{
		"neither":              {syncx.BreakerPolicy{Failures: 1}, 30 * ms, syncx.Closed},
		"with all times":       {syncx.BreakerPolicy{Failures: 1, Slow: time.Hour}, 0, syncx.Closed},
		"of which work is one": {syncx.BreakerPolicy{Failures: 1, Slow: time.Hour}, 30 * ms, syncx.Open},
		"too slow":             {syncx.BreakerPolicy{Failures: 1, Slow: 20 * ms}, 30 * ms, syncx.Open},
		"the policy is asked":  {syncx.BreakerPolicy{Failures: 1, Outer: func(took time.Duration) bool { return took >= 30*ms }}, 30 * ms, syncx.Open},
		"and blames nobody":    {syncx.BreakerPolicy{Failures: 1, Outer: func(took time.Duration) bool { return took > 30*ms }}, 30 * ms, syncx.Closed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := syncx.NewBreaker(c.policy)
				waits := syncx.Sync(b, step.Delay[int](10*ms))
				short := syncx.Sync(b, step.Func(func(as step.Scope, n int) (int, error) {
					_ = as.Loop()               // so that the clock is read in the middle of the turn
					time.Sleep(time.Nanosecond) //stepvet:ignore the section has to take some time within its turn
					return n, nil
				}))
				for range 3 {
					_, _ = flow.Run(t.Context(), waits, 0)
				}
				for range 100 { // enough to bring an average of all times down to nothing
					_, _ = flow.Run(t.Context(), short, 0)
				}
				works := step.Func(func(_ step.Scope, n int) (int, error) {
					time.Sleep(c.works) //stepvet:ignore the section has to take that long within its turn
					return n, nil
				})
				if _, err := flow.Run(t.Context(), flow.Timeout(5*ms, syncx.Sync(b, flow.Then(works, step.Delay[int](time.Hour)))), 0); err == nil {
					t.Error("the limit hasn't passed")
				}
				if got := b.State(); got != c.want {
					t.Errorf("the breaker is %v, want %v", got, c.want)
				}
			})
		})
	}
}

func TestG6ImpatientProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Pause: time.Second})
		call := syncx.Sync(b, step.Delay[int](50*ms))
		for range 3 {
			_, _ = flow.Run(t.Context(), call, 0)
		}
		_, _ = flow.Run(t.Context(), syncx.Sync(b, step.Func(func(step.Scope, int) (int, error) { return 0, errDown })), 0)
		time.Sleep(time.Second)
		if _, err := flow.Run(t.Context(), flow.Timeout(30*ms, call), 0); err == nil || b.State() != syncx.HalfOpen {
			t.Errorf("the probe: %v, the breaker is %v", err, b.State())
		}
		if _, err := flow.Run(t.Context(), call, 0); err != nil || b.State() != syncx.Closed {
			t.Errorf("the next one: %v, the breaker is %v", err, b.State())
		}
	})
}

// G10: an incident doesn't become usual, and the limit rises when it is over. After Relearn the slow time is usual.
func TestG10LastingIncident(t *testing.T) {
	h := newHarness(t)
	a := syncx.NewAdaptive(withTenth(syncx.AdaptivePolicy{Max: 100}))
	h.windows(a, 100, end{after: 10 * ms})
	if got := a.Capacity(); got < 80 {
		t.Fatalf("before: the limit is %d", got)
	}
	h.windows(a, 3000, end{after: 90 * ms})
	if got := a.Capacity(); got > 10 {
		t.Errorf("after five minutes of an incident the limit is %d", got)
	}
	h.windows(a, 100, end{after: 10 * ms})
	if got := a.Capacity(); got < 80 {
		t.Errorf("when it is over the limit is %d", got)
	}
	a.Relearn()
	h.windows(a, 300, end{after: 90 * ms})
	if got := a.Capacity(); got < 80 {
		t.Errorf("when the slow time is usual the limit is %d", got)
	}
	(&syncx.Adaptive{}).Relearn() // does nothing
}

func TestG10ImpatientCallers(t *testing.T) {
	for limit, want := range map[time.Duration]int{30 * ms: 100, 500 * ms: 90} {
		h := newHarness(t)
		a := syncx.NewAdaptive(syncx.AdaptivePolicy{Start: 100, Window: time.Second, MinSections: 10})
		h.load(a, 10, end{after: 50 * ms})
		h.Advance(time.Second)
		h.load(a, 1, end{after: 50 * ms}) // ends the first window
		s := flow.Timeout(limit, syncx.Sync(a, ending(h)))
		for range 2 {
			for range 10 {
				flow.Start(t.Context(), h.Loop, s, end{after: time.Hour})
			}
			h.Run()
			h.Advance(time.Second)
		}
		if got := a.Capacity(); got != want {
			t.Errorf("with a limit of %v around the sections the limit is %d, want %d", limit, got, want)
		}
	}
}
