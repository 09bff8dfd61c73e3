package syncx_test

import (
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// load starts n sections of a, and runs the loop until all have ended.
func (h *harness) load(a *syncx.Adaptive, n int, e end) {
	s := syncx.Sync(a, ending(h))
	for range n {
		flow.Start(h.t.Context(), h.Loop, s, e)
	}
	h.Run()
}

// windows loads a for count windows, with as many sections at once as the limit allows.
func (h *harness) windows(a *syncx.Adaptive, count int, e end) {
	for began := h.Now(); h.Now() < began+time.Duration(count)*100*ms; {
		h.load(a, a.Capacity(), e)
	}
}

func withTenth(p syncx.AdaptivePolicy) syncx.AdaptivePolicy {
	p.Window, p.MinSections = 100*ms, 1
	return p
}

func TestG10AdaptiveLimit(t *testing.T) {
	usual := end{after: 10 * ms}
	slow := end{after: 60 * ms}
	timeout := end{after: 10 * ms, err: fault.Timeout}
	for reason, c := range map[string]struct {
		load     func(h *harness, a *syncx.Adaptive)
		min, max int // bounds of the limit in the end; it begins at 20
	}{
		"as long as usual":         {func(h *harness, a *syncx.Adaptive) { h.windows(a, 3, usual) }, 21, 24},
		"never above Max":          {func(h *harness, a *syncx.Adaptive) { h.windows(a, 90, usual) }, 30, 30},
		"half of it isn't needed":  {func(h *harness, a *syncx.Adaptive) { h.crawl(a, 9, 60, usual) }, 20, 20},
		"half of it is needed":     {func(h *harness, a *syncx.Adaptive) { h.crawl(a, 11, 60, usual) }, 22, 22},
		"longer than usual":        {func(h *harness, a *syncx.Adaptive) { h.windows(a, 20, usual); h.windows(a, 6, slow) }, 8, 26},
		"within the tolerance":     {func(h *harness, a *syncx.Adaptive) { h.windows(a, 20, usual); h.windows(a, 6, end{after: 14 * ms}) }, 30, 30},
		"a limit passes":           {func(h *harness, a *syncx.Adaptive) { h.windows(a, 3, timeout) }, 13, 16},
		"never below Min":          {func(h *harness, a *syncx.Adaptive) { h.windows(a, 90, timeout) }, 5, 5},
		"errors of another kind":   {func(h *harness, a *syncx.Adaptive) { h.windows(a, 9, end{after: 10 * ms, err: errDown}) }, 20, 20},
		"it is over":               {func(h *harness, a *syncx.Adaptive) { h.windows(a, 9, timeout); h.windows(a, 40, usual) }, 30, 30},
		"too few for a window":     {func(h *harness, a *syncx.Adaptive) { h.crawl(a, 1, 1, timeout); h.Advance(time.Hour) }, 20, 20},
		"a slow-down that is over": {func(h *harness, a *syncx.Adaptive) { h.windows(a, 20, slow); h.windows(a, 60, usual) }, 30, 30},
	} {
		t.Run(reason, func(t *testing.T) {
			h := newHarness(t)
			a := syncx.NewAdaptive(withTenth(syncx.AdaptivePolicy{Min: 5, Max: 30}))
			c.load(h, a)
			if got := a.Capacity(); got < c.min || got > c.max {
				t.Errorf("the limit is %d, want %d to %d", got, c.min, c.max)
			}
			wantStats(t, a, 0, 0)
		})
	}
}

// crawl loads a repeatedly with n sections.
func (h *harness) crawl(a *syncx.Adaptive, n, times int, e end) {
	for range times {
		h.load(a, n, e)
	}
}

// The limit is computed by the formula in the comment of Adaptive.
func TestG10AdaptiveArithmetic(t *testing.T) {
	h := newHarness(t)
	a := syncx.NewAdaptive(withTenth(syncx.AdaptivePolicy{Start: 10, OnChange: func(from, to int) { h.Recordf("%d>%d", from, to) }}))
	h.crawl(a, 10, 12, end{after: 10 * ms})                          // the first window, from 10 to 110 ms, gradient 1: 10 + 4 × 0.2 = 10.8
	h.crawl(a, 10, 20, end{after: 10 * ms})                          // two more windows: 11.6, 12.4
	h.load(a, 1, end{after: 200 * ms, err: fault.Timeout})           // 12.4 × 0.9 = 11.16
	h.load(a, 8, end{after: 100 * ms})                               // usual 10, now (4 × 10 + 100) / 5 = 28; 1.5 × 28 / 100 is below 0.5: gradient 0.5
	h.WantEvents("10>11 11>12 12>11 11>10")                          // 11.16 × 0.8 + (11.16 × 0.5 + 4) × 0.2 = 10.8
	h.load(a, 1, end{after: 100 * ms, err: fault.ConnectError})      // isn't counted
	h.crawl(a, 10, 3, end{after: 100 * ms, err: fault.ConnectError}) // aren't counted either
	h.WantEvents("")
}

// A shorter Window also ends the window that has begun.
func TestG13ShorterWindowOfAdaptive(t *testing.T) {
	h := newHarness(t)
	a := syncx.NewAdaptive(syncx.AdaptivePolicy{Window: 1000 * time.Hour, MinSections: 1, Start: 1})
	h.load(a, 1, end{after: ms})
	p := a.Policy()
	p.Window = 10 * ms
	if err := a.SetPolicy(p); err != nil {
		t.Fatal(err)
	}
	h.crawl(a, 1, 50, end{after: ms})
	if got := a.Capacity(); got == 1 {
		t.Error("the limit hasn't changed")
	}
}

// A limit that is beyond what a float can count exactly stays within its bounds.
func TestG10HugeLimit(t *testing.T) {
	h := newHarness(t)
	for _, n := range []int{math.MaxInt, math.MaxInt - 600, math.MaxInt >> 9} {
		a := syncx.NewAdaptive(withTenth(syncx.AdaptivePolicy{}))
		if err := a.SetCapacity(n); err != nil || a.Capacity() != n {
			t.Errorf("%d was set, the limit is %d: %v", n, a.Capacity(), err)
		}
		b := syncx.NewAdaptive(withTenth(syncx.AdaptivePolicy{Min: n, Max: n}))
		h.crawl(b, 1, 20, end{after: 10 * ms, err: fault.Timeout})
		if b.Capacity() != n {
			t.Errorf("the limit is %d, want %d", b.Capacity(), n)
		}
	}
	const least = math.MaxInt>>10 + 2 // on 64 bits 1<<53 + 1, which is smaller as a float
	c := syncx.NewAdaptive(withTenth(syncx.AdaptivePolicy{Min: least, Max: math.MaxInt}))
	h.crawl(c, 1, 20, end{after: 10 * ms, err: fault.Timeout})
	if c.Capacity() != least {
		t.Errorf("the limit is %d, want %d", c.Capacity(), least)
	}
}

func TestG10AdaptiveQueue(t *testing.T) {
	h := newHarness(t)
	a := syncx.NewAdaptive(withTenth(syncx.AdaptivePolicy{Start: 5, MaxQueue: 9}))
	s := syncx.Sync(a, ending(h))
	start := func(n int, e end) {
		for range n {
			flow.Start(t.Context(), h.Loop, s, e)
		}
	}
	h.windows(a, 2, end{after: 10 * ms})
	start(4, end{after: time.Second})
	start(1, end{after: 100 * ms})
	start(9, end{after: time.Second})
	h.Advance(0)
	wantStats(t, a, 5, 9)
	if err := h.callAdaptive(a, end{}); fault.CodeOf(err) != fault.DefenseRejected {
		t.Errorf("got %v", err)
	}
	h.Advance(100 * ms) // the limit rises from 5.8 to 6.6: one section has left, and two enter
	wantStats(t, a, 6, 7)
	h.Run()
	if got := a.Capacity(); got < 5 {
		t.Errorf("the limit is %d", got)
	}

	a = syncx.NewAdaptive(withTenth(syncx.AdaptivePolicy{Start: 10}))
	s = syncx.Sync(a, ending(h))
	h.load(a, 1, end{})
	start(9, end{after: time.Second})
	start(1, end{after: 200 * ms, err: fault.Timeout})
	h.Advance(201 * ms)
	if got := a.Capacity(); got != 9 {
		t.Errorf("the limit is %d", got)
	}
	wantStats(t, a, 9, 0)
	h.Run()
	wantStats(t, a, 0, 0)
}

func (h *harness) callAdaptive(a *syncx.Adaptive, e end) error {
	run := flow.Start(h.t.Context(), h.Loop, syncx.Sync(a, ending(h)), e)
	h.Advance(0)
	_, err := run.Result()
	return err
}

func TestG10AdaptiveUnknown(t *testing.T) {
	h := newHarness(t)
	a := syncx.NewAdaptive(syncx.AdaptivePolicy{Start: 10, Window: ms, MinSections: 3})
	s := syncx.Sync(a, ending(h))
	h.load(a, 1, end{err: fault.Timeout})
	for range 9 {
		run := flow.Start(t.Context(), h.Loop, s, end{after: time.Second})
		h.Advance(2 * ms)
		run.Cancel(nil)
	}
	h.Run()
	flow.Start(t.Context(), h.Loop, syncx.Sync(a, syncx.Sync(a, ending(h))), end{after: 2 * ms, err: fault.Timeout})
	h.Run()
	if got := a.Capacity(); got != 10 {
		t.Errorf("the limit is %d after two outcomes of three", got)
	}
	h.load(a, 1, end{after: 2 * ms, err: fault.Timeout})
	if got := a.Capacity(); got != 9 {
		t.Errorf("the limit is %d", got)
	}
}

func TestAdaptiveTellsOfChanges(t *testing.T) {
	h := newHarness(t)
	a := syncx.NewAdaptive(withTenth(syncx.AdaptivePolicy{
		Name: "pay", Start: 10, OnChange: func(from, to int) { h.Recordf("%d>%d", from, to) },
	}))
	ctx := observe.With(t.Context(), watching(func(e observe.Event) {
		if e.Kind == observe.GuardChanged {
			h.Recordf("%s:%s", e.Path(), strings.ReplaceAll(e.Note, " ", "_"))
		}
	}))
	for range 2 {
		flow.Start(ctx, h.Loop, syncx.Sync(a, ending(h)), end{after: 100 * ms, err: fault.Timeout})
		h.Run()
	}
	h.WantEvents("10>9 0:adaptive_limit_pay:_9")
	if got := syncx.NewAdaptive(syncx.AdaptivePolicy{}).String(); !strings.HasPrefix(got, "adaptive limit (adaptive_test.go:") {
		t.Errorf("without a name: %s", got)
	}
}

func TestE4AdaptivePolicyPanics(t *testing.T) {
	l := tooltest.New()
	panics := true
	a := syncx.NewAdaptive(syncx.AdaptivePolicy{
		Window: 1, MinSections: 1, Start: 10,
		Overload: func(error) bool {
			if panics {
				panic("Overload")
			}
			return true
		},
		OnChange: func(int, int) { panic("OnChange") },
	})
	for i := range 3 {
		panics = i == 0
		run := flow.Start(t.Context(), l, syncx.Sync(a, plantest.Fail[string, string](errDown)), "")
		l.Run()
		l.Advance(ms)
		if _, err := run.Result(); !errors.Is(err, errDown) {
			t.Errorf("got %v", err)
		}
	}
	if errs := l.Errors(); len(errs) != 2 || a.Capacity() != 9 || a.Inside() != 0 {
		t.Errorf("%v, %v, %d inside", errs, a.Capacity(), a.Inside())
	}
}

func TestAdaptiveDeadlock(t *testing.T) {
	h := newHarness(t)
	one := syncx.AdaptivePolicy{Max: 1, MaxQueue: -1}
	a, b := syncx.NewAdaptive(one), syncx.NewAdaptive(one)
	hold := func(outer, inner syncx.Guard) stringStep {
		return syncx.Sync(outer, flow.Then(step.Delay[string](ms), syncx.Sync(inner, h.mark("in"))))
	}
	first, second := h.start("1", hold(a, b)), h.start("2", hold(b, a))
	h.Run()
	wantResult(t, first, "1")
	wantErr(t, second, syncx.Deadlock)
}

func TestBadAdaptives(t *testing.T) {
	for want, p := range map[string]syncx.AdaptivePolicy{
		"from 1, got NaN":             {Tolerance: math.NaN()},
		"from 1, got +Inf":            {Tolerance: math.Inf(1)},
		"from 1, got 0.5":             {Tolerance: 0.5},
		"Min is 5, above Max, 4":      {Min: 5, Max: 4},
		"Start is 4, not between Min": {Min: 5, Start: 4},
		"Start is 9, not between Min": {Max: 8, Start: 9},
	} {
		wantRefused(t, syncx.NewAdaptive(p), want)
	}
	for p, want := range belowZero[syncx.AdaptivePolicy]() {
		wantRefused(t, syncx.NewAdaptive(p), want)
	}
	for _, a := range []*syncx.Adaptive{nil, new(syncx.Adaptive)} {
		if err := a.Err(); !errors.Is(err, fault.InvalidRequest) || a.String() != "adaptive limit" {
			t.Errorf("got %v, %s", err, a)
		}
	}
	for p, want := range map[struct{ Min, Max int }]int{{}: 20, {Min: 30}: 30, {Max: 7}: 7, {Min: 300}: 300} {
		if got := syncx.NewAdaptive(syncx.AdaptivePolicy{Min: p.Min, Max: p.Max}).Capacity(); got != want {
			t.Errorf("%+v: the limit is %d, want %d", p, got, want)
		}
	}
}

func TestAdaptiveOnManyLoops(t *testing.T) {
	a := syncx.NewAdaptive(syncx.AdaptivePolicy{Start: 3, Max: 8, MaxQueue: -1, Window: 1, MinSections: 1})
	var inside atomic.Int32
	plan := syncx.Sync(a, flow.Then(step.Map(func(n int) int {
		if inside.Add(1) > 8 {
			t.Error("too many are inside")
		}
		return n
	}), flow.Then(turn(), step.Func(func(_ step.Scope, n int) (int, error) {
		inside.Add(-1)
		if n%5 == 0 {
			return 0, fault.Timeout
		}
		return n, nil
	}))))
	runConcurrently(t, plan, func(error) {})
	wantStats(t, a, 0, 0)
}
