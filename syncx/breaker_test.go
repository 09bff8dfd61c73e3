package syncx_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

var errDown = fault.New(fault.ConnectError, "server is down")

// end is the input of ending: the step ends after this time, with err or, if that is nil, with a value.
type end struct {
	after time.Duration
	err   error
}

// call runs one section of b and returns the error of the run.
func (h *harness) call(b *syncx.Breaker, e end) error {
	run := flow.Start(context.Background(), h.Loop, syncx.Sync(b, ending(h)), e)
	h.Advance(0)
	for range 1000 {
		if _, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
			return err
		}
		h.Advance(ms)
	}
	h.t.Error("it doesn't end")
	return nil
}

func ending(h *harness) step.Step[end, end] {
	return step.New(func(as step.Scope, e end) step.Next[end] {
		if e.after == 0 {
			if e.err != nil {
				return step.Fail[end](e.err)
			}
			return step.Succeed(e)
		}
		return step.Wait(as, func(done step.Done[end]) {
			_, _ = h.Deferred(e.after, func() {
				if e.err != nil {
					done.Fail(e.err)
				} else {
					done.Succeed(e)
				}
			})
		})
	})
}

// calls runs sections of b, one after the other. In the script, o ends with a value, x fails, s is slow; . waits for a
// second. After each section it notes the first letter of the state, after a ! if b has refused.
func (h *harness) calls(b *syncx.Breaker, script string) {
	for _, c := range script {
		var err error
		switch c {
		case 'o':
			err = h.call(b, end{})
		case 'x':
			err = h.call(b, end{err: errDown})
		case 's':
			err = h.call(b, end{after: 20 * ms})
		case '.':
			h.Advance(time.Second)
			continue
		}
		mark := ""
		if errors.Is(err, syncx.CircuitOpen) {
			mark = "!"
		}
		h.Recordf("%s%c", mark, b.State().String()[0])
	}
}

func TestG6Breaker(t *testing.T) {
	for reason, c := range map[string]struct {
		policy syncx.BreakerPolicy
		script string
		want   string
	}{
		"five in a row, a minute's pause": {syncx.BreakerPolicy{}, "xxxxoxxxxxoo" + strings.Repeat(".", 59) + "o.oo",
			"c c c c c c c c c o !o !o !o c c"},
		"a number of the last":       {syncx.BreakerPolicy{Failures: 2, Last: 4}, "xooox" + "oxo", "c c c c c c o !o"},
		"a rate of the last":         {syncx.BreakerPolicy{Rate: 0.5, MinSections: 4}, "xoxoxo", "c c c o !o !o"},
		"a success may complete it":  {syncx.BreakerPolicy{Rate: 0.5, MinSections: 2}, "xo", "c o"},
		"a rate needs some sections": {syncx.BreakerPolicy{Rate: 0.1}, "xxxxxxxxxx", "c c c c c c c c c o"},
		"a rate that no float is exactly": {syncx.BreakerPolicy{Rate: 0.28, MinSections: 25},
			strings.Repeat("o", 18) + strings.Repeat("x", 7), strings.Repeat("c ", 24) + "o"},
		"both bounds": {syncx.BreakerPolicy{Rate: 1, MinSections: 4, Failures: 3, Last: 5}, "xoxx", "c c c o"},
		"a window of time": {syncx.BreakerPolicy{Failures: 2, Window: 10 * time.Second},
			"x" + "..........." + "x" + "....." + "x", "c c o"},
		"a slow section is a failure": {syncx.BreakerPolicy{Failures: 2, Slow: 10 * ms}, "soss", "c c c o"},
		"a probe fails": {syncx.BreakerPolicy{Failures: 1, Pause: 2 * time.Second}, "x.o.x.o.o",
			"o !o o !o c"},
		"several probes": {syncx.BreakerPolicy{Failures: 1, Pause: time.Second, Probes: 3}, "x.ooo",
			"o h h c"},
		"the last probe fails": {syncx.BreakerPolicy{Failures: 1, Pause: time.Second, Probes: 3}, "x.oox.o",
			"o h h o h"},
		"the counts begin anew": {syncx.BreakerPolicy{Failures: 2, Last: 9, Pause: time.Second}, "xx.oxox",
			"c o c c c o"},
		"which errors are failures": {syncx.BreakerPolicy{Failures: 1, Failure: func(err error) bool {
			return fault.CodeOf(err) != fault.ConnectError
		}}, "xxx", "c c c"},
		"ignored errors": {syncx.BreakerPolicy{Failures: 1, Ignore: func(err error) bool {
			return fault.CodeOf(err) == fault.ConnectError
		}}, "xxx", "c c c"},
	} {
		t.Run(reason, func(t *testing.T) {
			h := newHarness(t)
			b := syncx.NewBreaker(c.policy)
			h.calls(b, c.script)
			h.WantEvents(c.want)
			wantStats(t, b, 0, 0)
		})
	}
}

func TestBreakerRefusal(t *testing.T) {
	h := newHarness(t)
	b := syncx.NewBreaker(syncx.BreakerPolicy{Name: "payments", Failures: 1, Pause: time.Minute})
	h.calls(b, "x.")
	err := h.call(b, end{})
	refused, ok := errors.AsType[*syncx.Refusal](err)
	if !ok || *refused != (syncx.Refusal{Breaker: "breaker payments", State: syncx.Open, After: 59 * time.Second}) {
		t.Errorf("got %v", err)
	}
	if got := err.Error(); got != "CircuitOpen (at 0): breaker payments is open, try again in 59s" {
		t.Errorf("it says %q", got)
	}
	h.Advance(time.Minute)
	probe := flow.Start(t.Context(), h.Loop, syncx.Sync(b, ending(h)), end{after: 5 * ms})
	h.Advance(ms)
	err = h.call(b, end{})
	if refused, ok = errors.AsType[*syncx.Refusal](err); !ok || refused.State != syncx.HalfOpen || refused.After != 0 {
		t.Errorf("got %v", err)
	}
	h.Run()
	if _, err := probe.Result(); err != nil || b.State() != syncx.Closed {
		t.Errorf("the probe: %v, %v", err, b.State())
	}
	if got := syncx.NewBreaker(syncx.BreakerPolicy{}).String(); !strings.HasPrefix(got, "breaker (breaker_test.go:") {
		t.Errorf("without a name: %s", got)
	}
}

func TestG6CancelledProbe(t *testing.T) {
	h := newHarness(t)
	b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Pause: time.Second})
	h.calls(b, "x.")
	probe := flow.Start(t.Context(), h.Loop, syncx.Sync(b, ending(h)), end{after: time.Hour})
	h.Advance(ms)
	wantStats(t, b, 1, 0)
	probe.Cancel(nil)
	h.Advance(0)
	wantStats(t, b, 0, 0)
	if b.State() != syncx.HalfOpen {
		t.Error(b.State())
	}
	h.Lines = nil
	h.calls(b, "o")
	h.WantEvents("c")
	h.Run()
}

func TestG6LateOutcomes(t *testing.T) {
	h := newHarness(t)
	b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Pause: time.Second, Probes: 2})
	s := syncx.Sync(b, ending(h))
	late := func(after time.Duration, err error) { flow.Start(t.Context(), h.Loop, s, end{after, err}) }
	late(1500*ms, nil)     // ends while the breaker is half-open
	late(1700*ms, errDown) // ends while the breaker is half-open
	late(2500*ms, errDown) // ends while the breaker is closed again
	h.Advance(ms)
	h.calls(b, "x")
	h.Advance(1100 * ms)
	h.calls(b, "o") // the first probe
	h.Advance(700 * ms)
	h.calls(b, "o")
	h.Run()
	h.calls(b, "o")
	h.WantEvents("o h c c")
	if n, failures := b.Counts(); n != 1 || failures != 0 {
		t.Errorf("%d sections, %d failures", n, failures)
	}
}

func TestG6BreakerReentry(t *testing.T) {
	h := newHarness(t)
	b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 3, Pause: time.Second})
	nested := syncx.Sync(b, syncx.Sync(b, plantest.Fail[string, string](errDown)))
	for range 2 {
		h.start("a", nested)
		h.Run()
	}
	if n, failures := b.Counts(); n != 2 || failures != 2 {
		t.Errorf("%d sections, %d failures", n, failures)
	}
	h.start("a", nested)
	h.Advance(time.Second)
	a := h.start("a", syncx.Sync(b, syncx.Sync(b, h.mark("in")))) // the outer one is the only probe
	h.Run()
	h.WantEvents("in")
	wantResult(t, a, "a")
	if b.State() != syncx.Closed {
		t.Error(b.State())
	}
}

// watching returns an observer that calls watch for the events of runs.
func watching(watch observe.Watch) observe.Observer {
	return observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) { return ctx, watch })
}

func TestBreakerTellsOfChanges(t *testing.T) {
	h := newHarness(t)
	b := syncx.NewBreaker(syncx.BreakerPolicy{
		Name: "pay", Failures: 1, Pause: time.Second,
		OnChange: func(from, to syncx.BreakerState) { h.Recordf("%v>%v", from, to) },
	})
	ctx := observe.With(t.Context(), watching(func(e observe.Event) {
		if e.Kind == observe.GuardChanged {
			h.Recordf("%s:%s", e.Path(), strings.ReplaceAll(e.Note, " ", "_"))
			if !observe.IsSection(e, b) || e.Kind.String() != "guard changed" {
				t.Error("not an event of the section")
			}
		}
	}))
	for _, err := range []error{errDown, nil} {
		flow.Start(ctx, h.Loop, syncx.Sync(b, ending(h)), end{err: err})
		h.Run()
		h.Advance(time.Second)
	}
	h.WantEvents("closed>open 0:breaker_pay:_open open>half-open 0:breaker_pay:_half-open half-open>closed 0:breaker_pay:_closed")
}

func TestE4BreakerPolicyPanics(t *testing.T) {
	l := tooltest.New()
	b := syncx.NewBreaker(syncx.BreakerPolicy{
		Failures: 1,
		Failure:  func(error) bool { panic("Failure") },
		OnChange: func(syncx.BreakerState, syncx.BreakerState) { panic("OnChange") },
	})
	run := flow.Start(t.Context(), l, syncx.Sync(b, plantest.Fail[string, string](errDown)), "")
	l.Run()
	if _, err := run.Result(); !errors.Is(err, errDown) {
		t.Errorf("got %v", err)
	}
	if errs := l.Errors(); len(errs) != 2 || b.State() != syncx.Open || b.Inside() != 0 {
		t.Errorf("%v, %v, %d inside", errs, b.State(), b.Inside())
	}
}

func TestBreakerGoexit(t *testing.T) {
	var once sync.Once
	b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Failure: func(error) bool {
		once.Do(runtime.Goexit)
		return true
	}})
	l := tool.Start(tool.Options{})
	defer func() { _ = l.Shutdown(t.Context()) }()
	_, err := flow.Start(t.Context(), l, syncx.Sync(b, plantest.Fail[string, string](errDown)), "").Wait(t.Context())
	if err == nil || b.State() != syncx.Open || b.Inside() != 0 {
		t.Errorf("%v, %v, %d inside", err, b.State(), b.Inside())
	}
}

func TestBreakerGoexitOfTheProbe(t *testing.T) {
	ends := func() func() {
		var once sync.Once
		return func() { once.Do(runtime.Goexit) }
	}
	for who, c := range map[string]struct{ onChange, watch func() }{
		"OnChange":     {onChange: ends(), watch: func() {}},
		"the observer": {onChange: func() {}, watch: ends()},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Pause: time.Second, OnChange: func(_, to syncx.BreakerState) {
				if to == syncx.HalfOpen {
					c.onChange()
				}
			}})
			watcher := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
				return ctx, func(e observe.Event) {
					if e.Kind == observe.GuardChanged && b.State() == syncx.HalfOpen {
						c.watch()
					}
				}
			})
			l := tool.Start(tool.Options{OnError: func(error) {}})
			for _, s := range []stringStep{plantest.Fail[string, string](errDown), step.Map(same), step.Map(same)} {
				_, _ = flow.Start(observe.With(t.Context(), watcher), l, syncx.Sync(b, s), "").Wait(t.Context())
				time.Sleep(time.Second) // virtual time
			}
			if b.State() != syncx.Closed || b.Inside() != 0 {
				t.Errorf("%s: %v, %d inside", who, b.State(), b.Inside())
			}
			if err := l.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func same(s string) string { return s }

func TestBadBreakers(t *testing.T) {
	for want, p := range map[string]syncx.BreakerPolicy{
		"too many without a Window": {Failures: math.MaxInt},
		"from 0 to 1, got NaN":      {Rate: math.NaN()},
		"from 0 to 1, got 1.5":      {Rate: 1.5},
		"both set":                  {Last: 1, Window: 1},
		"fewer than":                {Last: 4},
	} {
		b := syncx.NewBreaker(p)
		wantRefused(t, b, want)
		if n, _ := b.Counts(); n != 0 {
			t.Error("it counts")
		}
	}
	for p, want := range belowZero[syncx.BreakerPolicy]() {
		wantRefused(t, syncx.NewBreaker(p), want)
	}
	for _, b := range []*syncx.Breaker{nil, new(syncx.Breaker)} {
		if err := b.Err(); !errors.Is(err, fault.InvalidRequest) || b.String() != "breaker" {
			t.Errorf("got %v, %s", err, b)
		}
	}
	if got := fmt.Sprint(syncx.BreakerState(9)); got != "unknown" {
		t.Error(got)
	}
}

func TestBreakerOnManyLoops(t *testing.T) {
	b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 10, Window: time.Hour, Slow: time.Hour, Pause: 1, Probes: 2})
	plan := syncx.Sync(b, step.Func(func(_ step.Scope, n int) (int, error) {
		if n%3 == 0 {
			return 0, errDown
		}
		return n, nil
	}))
	runConcurrently(t, plan, func(error) {})
	wantStats(t, b, 0, 0)
}

// The new pause counts from the beginning of the old one, however long that was meant to be.
func TestG13ShorterPauseOfAnOpenBreaker(t *testing.T) {
	h := newHarness(t)
	b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Pause: math.MaxInt64})
	h.Advance(2 * time.Hour)
	_ = h.call(b, end{0, errDown})
	p := b.Policy()
	p.Pause = time.Minute
	if err := b.SetPolicy(p); err != nil {
		t.Fatal(err)
	}
	h.Advance(time.Minute - 1)
	if err := h.call(b, end{}); fault.CodeOf(err) != syncx.CircuitOpen {
		t.Errorf("before the end of the pause: %v", err)
	}
	h.Advance(1)
	if err := h.call(b, end{}); err != nil {
		t.Error(err)
	}
}
