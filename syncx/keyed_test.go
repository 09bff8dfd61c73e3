package syncx_test

import (
	"errors"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func wantGuards(t *testing.T, k interface{ Guards() (busy, idle int) }, busy, idle int) {
	t.Helper()
	if b, i := k.Guards(); b != busy || i != idle {
		t.Errorf("%d guards are used, %d kept; want %d, %d", b, i, busy, idle)
	}
}

func first(name string) string { return name[:1] }

func TestG8GuardPerKey(t *testing.T) {
	h := newHarness(t)
	k := syncx.PerKey(first, func(string) syncx.Guard { return syncx.NewMutex(1, -1) })
	s := syncx.SyncKeyed(k, h.recordedDelay(10*ms))
	for _, name := range []string{"a1", "a2", "b1"} {
		h.start(name, s)
	}
	h.Advance(ms)
	h.WantEvents("+a1 +b1")
	wantGuards(t, k, 2, 0)
	h.Run()
	h.WantEvents("-a1 -b1 +a2 -a2")
	wantGuards(t, k, 0, 2)
}

func TestG8UnusedGuardsAreDropped(t *testing.T) {
	h := newHarness(t)
	made := map[string]int{}
	k := syncx.PerKey(first, func(key string) syncx.Guard {
		made[key]++
		return syncx.NewMutex(1, -1)
	}).Keep(2)
	s := syncx.SyncKeyed(k, quiet(h, 10*ms))
	for _, name := range []string{"a", "b", "c", "a"} {
		h.start(name, s)
	}
	h.Advance(15 * ms) // c was left last, and a is in use again
	wantGuards(t, k, 1, 2)
	h.Run() // b was left the longest ago
	wantGuards(t, k, 0, 2)
	for _, name := range []string{"a", "c"} {
		h.start(name, s)
		h.Run()
	}
	if made["a"] != 1 || made["b"] != 1 || made["c"] != 1 {
		t.Error(made)
	}
	h.start("b", s)
	h.Run()
	if made["b"] != 2 {
		t.Error(made)
	}
	none := syncx.PerKey(first, func(string) syncx.Guard { return syncx.NewMutex(1, -1) }).Keep(0)
	h.start("a", syncx.SyncKeyed(none, quiet(h, ms)))
	h.Run()
	wantGuards(t, none, 0, 0)
}

// G8: a guard that isn't kept forgets what it has counted, unless somebody else keeps it.
func TestG8GuardsOfOthers(t *testing.T) {
	newThrottle := func() syncx.Guard { return syncx.NewThrottle(1, time.Hour, 0) }
	own := newThrottle()
	for _, c := range []struct {
		name     string
		newGuard func(string) syncx.Guard
		second   error
	}{
		{"made for each section", func(string) syncx.Guard { return newThrottle() }, nil},
		{"of somebody else", func(string) syncx.Guard { return own }, fault.DefenseRejected},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := syncx.PerKey(first, c.newGuard).Keep(0)
			s := syncx.SyncKeyed(k, step.Map(func(name string) string { return name }))
			for _, want := range []error{nil, c.second} {
				if _, err := flow.Run(t.Context(), s, "a"); !errors.Is(err, want) {
					t.Errorf("ended with %v, want %v", err, want)
				}
			}
			wantGuards(t, k, 0, 0)
		})
	}
}

// guardsOf returns the keys of the guards of k, and tells whether each guard is the one made for its key.
func guardsOf(t *testing.T, k *syncx.Keyed[string, string], made map[string]*syncx.Breaker) (keys string) {
	t.Helper()
	for key, g := range k.All() {
		if g != syncx.Guard(made[key]) {
			t.Errorf("the guard of %s is another one", key)
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(maps.Collect(k.All()))), " ")
}

func TestKeyedAll(t *testing.T) {
	h := newHarness(t)
	made := map[string]*syncx.Breaker{}
	k := syncx.PerKey(first, func(key string) syncx.Guard {
		made[key] = syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Pause: time.Second})
		return made[key]
	}).Keep(1)
	if got := guardsOf(t, k, made); got != "" {
		t.Errorf("before the first section: %s", got)
	}
	h.failKeyed(k, "a")
	h.callKeyed(k, "b", "c")
	h.start("d", syncx.SyncKeyed(k, quiet(h, ms)))
	h.Advance(0)
	if got := guardsOf(t, k, made); got != "a c d" { // open, the last one that is unused, in use
		t.Error(got)
	}
	n := 0
	for key := range k.All() { // those of the beginning, though the body changes what there is
		n++
		made[key].Reset()
		h.start(key, syncx.SyncKeyed(k, quiet(h, 0)))
		h.start("e", syncx.SyncKeyed(k, quiet(h, 0)))
		h.Run()
	}
	if got := guardsOf(t, k, made); n != 3 || got != "e" {
		t.Errorf("%d guards, and then those of %s", n, got)
	}
	for range k.All() {
		break
	}
	for key := range new(syncx.Keyed[string, string]).All() {
		t.Error(key)
	}
}

// G8: an open breaker is kept until its pause is over, also if others have taken its place.
func TestG8OpenBreakersAreKept(t *testing.T) {
	for name, guardOf := range map[string]func(*syncx.Breaker) syncx.Guard{
		"a breaker":      func(b *syncx.Breaker) syncx.Guard { return b },
		"with a MaxWait": func(b *syncx.Breaker) syncx.Guard { return syncx.MaxWait(ms, b) },
		"embedded":       func(b *syncx.Breaker) syncx.Guard { return &struct{ *syncx.Breaker }{b} },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			k := syncx.PerKey(first, func(string) syncx.Guard {
				return guardOf(syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Pause: time.Second}))
			}).Keep(1)
			h.failKeyed(k, "a")
			h.callKeyed(k, "b", "c", "b", "c")
			wantGuards(t, k, 0, 2)
			refused := h.start("a", syncx.SyncKeyed(k, h.mark("never")))
			h.Advance(0)
			wantErr(t, refused, syncx.CircuitOpen)
			h.callKeyed(k, "b", "c")
			wantGuards(t, k, 0, 2)
			h.Advance(time.Second)
			h.callKeyed(k, "b")
			wantGuards(t, k, 0, 1)
			h.callKeyed(k, "a")
			h.WantEvents("b c b c b c b a")
		})
	}
}

// G8: of breakers whose pauses are over no more are kept than of other guards, however many they were.
func TestG8ManyOpenBreakers(t *testing.T) {
	h := newHarness(t)
	breakers := map[string]*syncx.Breaker{}
	k := syncx.PerKey(func(name string) string { return name }, func(key string) syncx.Guard {
		breakers[key] = syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Pause: time.Second})
		return breakers[key]
	}).Keep(3)
	for i := range 50 {
		h.failKeyed(k, strconv.Itoa(i))
	}
	wantGuards(t, k, 0, 50)
	breakers["7"].Isolate()
	breakers["8"].Reset()
	h.Advance(time.Second)
	for i := range 50 {
		h.callKeyed(k, "new "+strconv.Itoa(i))
	}
	wantGuards(t, k, 0, 4) // that which was opened by hand, too
	breakers["7"].Reset()
	h.callKeyed(k, "another")
	wantGuards(t, k, 0, 3)
}

type perhapsBroken struct{ *syncx.Breaker }

func (perhapsBroken) Err() error                         { return nil }
func (perhapsBroken) Enter(*syncx.Ticket) (bool, error)  { return true, nil }
func (perhapsBroken) Learn(*syncx.Ticket, syncx.Outcome) {}
func (perhapsBroken) Leave(*syncx.Ticket)                {}

func TestG8EmbeddedBreakerMayBeNil(t *testing.T) {
	h := newHarness(t)
	k := syncx.PerKey(first, func(string) syncx.Guard { return perhapsBroken{} }).Keep(1)
	h.callKeyed(k, "a", "b")
	wantGuards(t, k, 0, 1)
	h.WantEvents("a b")
}

func TestG8KeepZeroDropsOpenBreakers(t *testing.T) {
	h := newHarness(t)
	k := syncx.PerKey(first, func(string) syncx.Guard { return syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1}) }).Keep(0)
	h.failKeyed(k, "a")
	wantGuards(t, k, 0, 0)
}

func (h *harness) failKeyed(k *syncx.Keyed[string, string], name string) {
	h.t.Helper()
	failed := h.start(name, syncx.SyncKeyed(k, plantest.Fail[string, string](errBody)))
	h.Advance(0)
	wantErr(h.t, failed, errBody)
}

func (h *harness) callKeyed(k *syncx.Keyed[string, string], names ...string) {
	h.t.Helper()
	for _, name := range names {
		r := h.start(name, syncx.SyncKeyed(k, h.mark("%s")))
		h.Advance(0)
		wantResult(h.t, r, name)
	}
}

func TestG8GuardsAreGivenBack(t *testing.T) {
	h := newHarness(t)
	k := syncx.PerKey(first, func(string) syncx.Guard { return syncx.NewMutex(1, 1) })
	h.start("a", syncx.SyncKeyed(k, plantest.Fail[string, string](errBody)))
	h.Run()
	wantGuards(t, k, 0, 1)
	inside := h.start("b", syncx.SyncKeyed(k, quiet(h, time.Hour)))
	queued := h.start("b", syncx.SyncKeyed(k, h.mark("never")))
	rejected := h.start("b", syncx.SyncKeyed(k, h.mark("never")))
	h.Advance(0)
	wantErr(t, rejected, fault.DefenseRejected)
	wantGuards(t, k, 1, 1)
	queued.Cancel(nil)
	inside.Cancel(nil)
	h.Advance(0)
	wantGuards(t, k, 0, 2)
	h.Run()
	h.WantEvents("")
}

func TestBreakerPerKey(t *testing.T) {
	h := newHarness(t)
	breakers := map[string]*syncx.Breaker{}
	k := syncx.PerKey(first, func(key string) syncx.Guard {
		breakers[key] = syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1})
		return breakers[key]
	})
	h.start("a", syncx.SyncKeyed(k, syncx.SyncKeyed(k, plantest.Fail[string, string](errBody))))
	h.start("b", syncx.SyncKeyed(k, syncx.SyncKeyed(k, h.mark("in"))))
	h.Run()
	h.WantEvents("in")
	if breakers["a"].State() != syncx.Open || breakers["b"].State() != syncx.Closed {
		t.Error(breakers["a"].State(), breakers["b"].State())
	}
	if n, _ := breakers["b"].Counts(); n != 1 {
		t.Errorf("b has counted %d sections", n)
	}
	m := syncx.PerKey(first, func(string) syncx.Guard { return syncx.NewMutex(1, 0) })
	a := h.start("a", syncx.SyncKeyed(m, syncx.SyncKeyed(m, h.mark("again"))))
	h.Run()
	h.WantEvents("again")
	wantResult(t, a, "a")
}

func TestE4PerKey(t *testing.T) {
	for reason, c := range map[string]struct {
		key  func(string) string
		make func(string) syncx.Guard
		want fault.Code
	}{
		"key panics":     {func(string) string { panic("key") }, nil, fault.InternalError},
		"make panics":    {first, func(string) syncx.Guard { panic("make") }, fault.InternalError},
		"no guard":       {first, func(string) syncx.Guard { return nil }, fault.InvalidRequest},
		"a bad guard":    {first, func(string) syncx.Guard { return syncx.NewMutex(0, 0) }, fault.InvalidRequest},
		"a guard panics": {first, func(string) syncx.Guard { return brokenContext{} }, fault.InvalidRequest},
	} {
		t.Run(reason, func(t *testing.T) {
			if c.make == nil {
				c.make = func(string) syncx.Guard { return syncx.NewMutex(1, 0) }
			}
			h := newHarness(t)
			k := syncx.PerKey(c.key, c.make)
			a := h.start("a", syncx.SyncKeyed(k, h.mark("never")))
			h.Run()
			wantErr(t, a, c.want)
			wantGuards(t, k, 0, 0)
		})
	}
	t.Run("Enter panics", func(t *testing.T) {
		h := newHarness(t)
		g := &manualGuard{enter: func(*syncx.Ticket) (bool, error) { panic("gate") }}
		k := syncx.PerKey(first, func(string) syncx.Guard { return g })
		a := h.start("a", syncx.SyncKeyed(k, h.mark("never")))
		h.Run()
		wantErr(t, a, fault.InternalError)
		wantGuards(t, k, 0, 1)
	})
	t.Run("a key that no map finds", func(t *testing.T) {
		h := newHarness(t)
		keys := map[string]any{"slice": []int{1}, "NaN": math.NaN()}
		k := syncx.PerKey(func(name string) any { return keys[name] }, func(any) syncx.Guard { return syncx.NewMutex(1, 0) })
		s := syncx.SyncKeyed(k, quiet(h, ms))
		slice, nan, other := h.start("slice", s), h.start("NaN", s), h.start("other", s)
		h.Run()
		wantErr(t, slice, fault.InternalError)
		wantErr(t, nan, fault.InvalidRequest)
		wantResult(t, other, "other")
		wantGuards(t, k, 0, 1)
	})
	var none *syncx.Keyed[string, string]
	for want, p := range map[string]flow.Plan[string, string]{
		"a function is nil":  syncx.SyncKeyed(syncx.PerKey[string, string](nil, nil), plantest.Fail[string, string](nil)),
		"not made by PerKey": syncx.SyncKeyed(none, plantest.Fail[string, string](nil)),
		"the Keyed":          syncx.SyncKeyed(new(syncx.Keyed[string, string]), plantest.Fail[string, string](nil)),
		"the stage is nil":   syncx.SyncKeyed[string, string](syncx.PerKey(first, func(string) syncx.Guard { return nil }), nil),
	} {
		if err := p.Err(); !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

func TestIsSectionOfKeyed(t *testing.T) {
	h := newHarness(t)
	k := syncx.PerKey(first, func(string) syncx.Guard { return syncx.NewMutex(1, 0) })
	rec := 0
	ctx := observe.With(t.Context(), watching(func(e observe.Event) {
		if e.Kind == observe.StepStart && observe.IsSection(e, k) {
			rec++
		}
	}))
	flow.Start(ctx, h.Loop, syncx.SyncKeyed(k, h.mark("in")), "a")
	h.Run()
	h.WantEvents("in")
	if rec != 1 {
		t.Errorf("%d sections", rec)
	}
}

func TestPerKeyOnManyLoops(t *testing.T) {
	k := syncx.PerKey(func(n int) int { return n % 5 }, func(int) syncx.Guard { return syncx.NewMutex(1, -1) }).Keep(1)
	plan := syncx.SyncKeyed(k, step.Map(func(n int) int { runtime.Gosched(); return n }))
	runConcurrently(t, plan, func(err error) {
		if err != nil {
			t.Error(err)
		}
	})
	wantGuards(t, k, 0, 1)
}
