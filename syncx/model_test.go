package syncx_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/syncx"
)

// throttled is G3 and G5 written down naively: when each of the entries that ask
// at these times enters, or -1 if it is rejected.
func throttled(limit int, period time.Duration, maxQueue int, asks []time.Duration) []time.Duration {
	enters := make([]time.Duration, len(asks))
	var (
		queue   []int
		end     time.Duration = -1 // of the window; none is open before the first entry
		entered int
	)
	reset := func(now time.Duration) {
		for len(queue) > 0 && end <= now {
			n := min(limit, len(queue))
			for _, i := range queue[:n] {
				enters[i] = end
			}
			queue, entered, end = queue[n:], n, end+period
		}
	}
	for i, now := range asks {
		reset(now)
		if end <= now {
			end, entered = now+period, 0
		}
		switch {
		case entered < limit:
			entered++
			enters[i] = now
		case maxQueue >= 0 && len(queue) >= maxQueue:
			enters[i] = -1
		default:
			queue = append(queue, i)
		}
	}
	reset(1 << 62)
	return enters
}

func TestThrottleModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 4).Draw(rt, "max")
		period := time.Duration(rapid.IntRange(1, 20).Draw(rt, "period")) * ms
		maxQueue := rapid.IntRange(-1, 5).Draw(rt, "queue")
		asks := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(0, 100).Draw(rt, "ms")) * ms
		}), 0, 40).Draw(rt, "asks")
		slices.Sort(asks)

		r := newRig(t)
		s := syncx.Sync(syncx.NewThrottle(limit, period, maxQueue), r.stamp())
		for i, at := range asks {
			r.at(at, fmt.Sprint(i), s)
		}
		r.Run()
		var want []string
		for i, at := range throttled(limit, period, maxQueue, asks) {
			if at < 0 {
				want = append(want, fmt.Sprintf("%d!DefenseRejected", i))
			} else {
				want = append(want, fmt.Sprintf("%d@%d", i, at/ms))
			}
		}
		slices.Sort(want)
		slices.Sort(r.log)
		if !slices.Equal(r.log, want) {
			rt.Fatalf("entries of %v\n got %v\nwant %v", asks, r.log, want)
		}
	})
}
