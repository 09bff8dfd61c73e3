package syncx_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"
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

func TestG7TokenBucket(t *testing.T) {
	for reason, c := range map[string]struct {
		rate, burst, maxQueue int
		asks                  []int // when flows ask, in ms
		want                  string
	}{
		"one token":              {10, 1, -1, []int{0, 0, 0}, "a@0 b@100 c@200"},
		"a burst":                {10, 3, -1, []int{0, 0, 0, 0, 0}, "a@0 b@0 c@0 d@100 e@200"},
		"tokens come back":       {10, 2, -1, []int{0, 0, 150, 160, 1000, 1000, 1000}, "a@0 b@0 c@150 d@200 e@1000 f@1000 g@1100"},
		"no queue":               {10, 1, 0, []int{0, 50, 100, 101}, "a@0 b!DefenseRejected c@100 d!DefenseRejected"},
		"a queue of one":         {10, 1, 1, []int{0, 10, 20, 110, 120}, "a@0 c!DefenseRejected b@100 e!DefenseRejected d@200"},
		"thirds of a second":     {3, 1, -1, []int{0, 0, 0, 0}, "a@0 b@333.333334 c@666.666667 d@1000"},
		"thirds after a pause":   {3, 2, -1, []int{0, 500, 500, 500}, "a@0 b@500 c@500 d@833.333334"},
		"burst beyond all bound": {1, math.MaxInt, 0, []int{0, 0, 0, 0}, "a@0 b@0 c@0 d@0"},
	} {
		t.Run(reason, func(t *testing.T) {
			h := newHarness(t)
			b := syncx.NewTokenBucket(c.rate, time.Second, c.burst, c.maxQueue)
			s := syncx.Sync(b, flow.Then(h.stamp(), quiet(h, 500*ms)))
			for i, at := range c.asks {
				h.at(time.Duration(at)*ms, string(rune('a'+i)), s)
			}
			h.Run()
			h.WantEvents(c.want)
			wantStats(t, b, 0, 0)
		})
	}
	t.Run("a re-entry takes a token", func(t *testing.T) {
		h := newHarness(t)
		b := syncx.NewTokenBucket(10, time.Second, 1, -1)
		h.start("a", syncx.Sync(b, flow.Then(h.stamp(), syncx.Sync(b, h.stamp()))))
		h.Run()
		h.WantEvents("a@0 a@100")
	})
	t.Run("a cancel in the queue takes no token", func(t *testing.T) {
		h := newHarness(t)
		b := syncx.NewTokenBucket(10, time.Second, 1, -1)
		s := syncx.Sync(b, h.stamp())
		h.at(0, "a", s)
		h.at(0, "b", flow.Timeout(50*ms, s))
		h.at(0, "c", s)
		h.Advance(10 * ms)
		wantStats(t, b, 0, 2)
		h.Run()
		h.WantEvents("a@0 b!Timeout c@100")
		wantStats(t, b, 0, 0)
	})
	t.Run("G3 a token that was granted and not used goes on", func(t *testing.T) {
		h := newHarness(t)
		b := syncx.NewTokenBucket(10, time.Second, 1, -1)
		s := syncx.Sync(b, h.stamp())
		h.at(0, "a", s)
		h.at(0, "b", flow.Timeout(100*ms, s)) // the limit and the token are due at the same time
		h.at(0, "c", s)
		h.Run()
		if len(h.Lines) != 3 || !strings.HasPrefix(h.Lines[1], "b") || h.Lines[2] != "c@100" && h.Lines[2] != "c@200" {
			t.Error(h.Lines)
		}
		if strings.HasSuffix(h.Lines[1], "Timeout") && h.Lines[2] != "c@100" {
			t.Errorf("the token got lost: %v", h.Lines)
		}
		wantStats(t, b, 0, 0)
	})
}

func TestTokenBucketWithLateTimers(t *testing.T) {
	for reason, c := range map[string]struct {
		late time.Duration
		want string
	}{
		"no token is lost":                        {5500 * time.Microsecond, "a@0 b@5.5 c@5.5 d@5.5 e@5.5 f@5.5 g@6"},
		"no crowd comes after a loop was held up": {time.Second, "a@0 b@1000 c@1000 d@1000 e@1000 f@1000 g@1000 h@1000 i@1000 j@1000 k@1000 l@1000 m@1001 n@1002"},
	} {
		t.Run(reason, func(t *testing.T) {
			h := newHarness(t)
			s := syncx.Sync(syncx.NewTokenBucket(1000, time.Second, 1, -1), h.stamp())
			for i := range strings.Count(c.want, "@") {
				h.start(string(rune('a'+i)), s)
			}
			h.Advance(0)
			h.Lag(c.late)
			h.Run()
			h.WantEvents(c.want)
		})
	}
}

func TestTokenBucketKeepsHighRates(t *testing.T) {
	for _, rate := range []int{3_000, 104_857_000, 300_000_000, 900_000_000, 2_000_000_000} {
		t.Run(strconv.Itoa(rate), func(t *testing.T) {
			h := newHarness(t)
			burst := rate / 1000
			b := syncx.NewTokenBucket(rate, time.Second, burst, -1)
			s := syncx.SyncWeighted(b, func(string) int { return burst }, step.Map(func(in string) string { return in }))
			var last time.Duration
			for range 1001 {
				flow.Start(t.Context(), h.Loop, s, "").Then(func(string, error) { last = h.Now() })
			}
			h.Run()
			if last != time.Second {
				t.Errorf("%d bursts of a millisecond after the first one took %v", 1000, last)
			}
		})
	}
}

func TestTokenBucketOfAgesIsClipped(t *testing.T) {
	const most = math.MaxInt64 / 2
	for reason, c := range map[string]struct {
		period time.Duration
		burst  int
		want   int
	}{
		"one token":  {most, 1, 1},
		"all fit":    {most / 4, 4, 4},
		"some don't": {most / 4, 9, 4},
	} {
		t.Run(reason, func(t *testing.T) {
			h := newHarness(t)
			b := syncx.NewTokenBucket(1, c.period, c.burst, 0)
			if got := b.Capacity(); got != c.want {
				t.Errorf("Capacity is %d, want %d", got, c.want)
			}
			s := syncx.SyncWeighted(b, func(string) int { return c.want }, h.stamp())
			h.at(0, "all", s)
			h.at(0, "more", s)
			h.Run()
			h.WantEvents("all@0 more!DefenseRejected")
		})
	}
}

func TestG13SetLimitsOfTokenBucket(t *testing.T) {
	for reason, c := range map[string]struct {
		burst  int           // of a bucket to which 10 tokens a second come
		asks   int           // at the beginning
		after  time.Duration // the limits change
		limits [4]int        // rate, period in ms, burst, queue
		later  int           // ask at once afterwards
		want   string
	}{
		"faster":                     {1, 3, 0, [4]int{100, 1000, 1, -1}, 0, "a@0 b@10 c@20"},
		"half a token stays one":     {1, 2, 50 * ms, [4]int{1, 1000, 1, -1}, 0, "a@0 b@550"},
		"a third of a token":         {1, 2, 100 * ms / 3, [4]int{3, 1000, 1, -1}, 0, "a@0 b@255.555557"},
		"tokens stay":                {4, 1, 0, [4]int{1, 1000, 9, 0}, 4, "a@0 b@0 c@0 d@0 e!DefenseRejected"},
		"a new one is full":          {1, 0, 0, [4]int{10, 1000, 3, 0}, 4, "a@0 b@0 c@0 d!DefenseRejected"},
		"fewer fit":                  {4, 1, 0, [4]int{10, 1000, 2, 0}, 3, "a@0 b@0 c@0 d!DefenseRejected"},
		"none waited":                {1, 1, 50 * ms, [4]int{100, 1000, 1, -1}, 2, "a@0 b@50 c@60"},
		"a shorter queue":            {1, 3, 10 * ms, [4]int{10, 1000, 1, 1}, 1, "a@0 d!DefenseRejected b@100 c@200"},
		"many tokens per nanosecond": {1, 3, 0, [4]int{1 << 30, 1, 1, -1}, 0, "a@0 b@0.000001 c@0.000001"},
	} {
		t.Run(reason, func(t *testing.T) {
			h := newHarness(t)
			b := syncx.NewTokenBucket(10, time.Second, c.burst, -1)
			s := syncx.Sync(b, h.stamp())
			for i := range c.asks {
				h.at(0, string(rune('a'+i)), s)
			}
			h.Advance(c.after)
			if err := b.SetLimits(c.limits[0], time.Duration(c.limits[1])*ms, c.limits[2], c.limits[3]); err != nil || b.Capacity() != c.limits[2] {
				t.Error(err, b.Capacity())
			}
			for i := range c.later {
				h.at(h.Now(), string(rune('a'+c.asks+i)), s)
			}
			h.Run()
			h.WantEvents(c.want)
			for _, err := range []error{b.SetLimits(0, 1, 1, 0), b.SetLimits(1, 0, 1, 0), b.SetLimits(1, 1, 0, 0), b.SetLimits(1, math.MaxInt64, 1, 0)} {
				if fault.CodeOf(err) != fault.InvalidRequest || b.Capacity() != c.limits[2] {
					t.Error(err)
				}
			}
		})
	}
	t.Run("too heavy", func(t *testing.T) {
		h := newHarness(t)
		b := syncx.NewTokenBucket(10, time.Second, 5, -1)
		s := syncx.SyncWeighted(b, func(name string) int { return len(name) }, h.stamp())
		for _, name := range []string{"aaaaa", "bbbb", "cc"} {
			h.at(0, name, s)
		}
		h.Advance(0)
		if err := b.SetLimits(10, time.Second, 3, -1); err != nil {
			t.Error(err)
		}
		h.Run()
		h.WantEvents("aaaaa@0 bbbb!InvalidRequest cc@200")
	})
	if err := syncx.NewTokenBucket(0, 0, 0, 0).SetLimits(1, time.Second, 1, 0); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("a bucket that isn't well formed was mended: %v", err)
	}
}

func TestBadTokenBuckets(t *testing.T) {
	for want, b := range map[string]*syncx.TokenBucket{
		"the rate must be at least 1, got 0":     syncx.NewTokenBucket(0, 1, 1, 0),
		"the period must be positive, got -1ns":  syncx.NewTokenBucket(1, -1, 1, 0),
		"the burst must be at least 1, got -2":   syncx.NewTokenBucket(1, 1, -2, 0),
		"takes longer than 146 years":            syncx.NewTokenBucket(1, math.MaxInt64, 5, 0),
		"token bucket: not made by NewTokenBuck": new(syncx.TokenBucket),
	} {
		err := syncx.Sync(b, plantest.Fail[string, string](nil)).Err()
		if !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

func TestTokenBucketOnManyLoops(t *testing.T) {
	b := syncx.NewTokenBucket(1_000_000, time.Second, 2, -1)
	plan := syncx.Sync(b, step.Map(func(i int) int { return i }))
	g := tool.NewGroup(2, tool.Options{})
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			for i := range 100 {
				var err error
				if n%2 == 0 {
					_, err = flow.Run(t.Context(), plan, i)
				} else {
					_, err = flow.Start(t.Context(), g.Next(), plan, i).Wait(t.Context())
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := g.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	wantStats(t, b, 0, 0)
}

// unlikeLoop is a loop whose type isn't comparable.
type unlikeLoop struct {
	*tooltest.Loop

	_ [0]func()
}

func TestGuardsOnALoopThatCannotBeCompared(t *testing.T) {
	for reason, g := range map[string]syncx.Guard{
		"mutex":        syncx.NewMutex(1, -1),
		"throttle":     syncx.NewThrottle(1, ms, -1),
		"token bucket": syncx.NewTokenBucket(1, ms, 1, -1),
		"limiter":      syncx.NewLimiter(syncx.Limits{MaxQueue: -1, Period: ms, Burst: -1}),
		"adaptive":     syncx.NewAdaptive(syncx.AdaptivePolicy{Start: 1, MaxQueue: -1}),
		"max wait":     syncx.MaxWait(time.Second, syncx.NewTokenBucket(1, ms, 1, -1)),
	} {
		l := unlikeLoop{Loop: tooltest.New()}
		var runs []run
		for range 4 {
			runs = append(runs, flow.Start(t.Context(), l, syncx.Sync(g, step.Delay[string](ms)), "x"))
		}
		l.Run()
		for _, r := range runs {
			if _, err := r.Result(); err != nil {
				t.Errorf("%s: %v", reason, err)
			}
		}
	}
}
