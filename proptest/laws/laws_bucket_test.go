package laws_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Law 72. A token bucket lets an entry in, in the order of asking, as soon as no stretch of time that begins with an
// entry has more entries than the burst and the tokens that came in the stretch.
func TestG7TokenBucketIsItsRate(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		every := time.Duration(rapid.IntRange(1, 20).Draw(rt, "every")) * time.Millisecond
		burst := rapid.IntRange(1, 4).Draw(rt, "burst")
		maxQueue := rapid.SampledFrom([]int{0, -1}).Draw(rt, "queue")
		asks := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(0, 100).Draw(rt, "ms")) * time.Millisecond
		}), 0, 40).Draw(rt, "asks")
		slices.Sort(asks)

		const rejected, never = -1, -2
		loop := tooltest.New()
		got := make([]time.Duration, len(asks))
		s := syncx.Sync(syncx.NewTokenBucket(3, 3*every, burst, maxQueue), step.Map(func(i int) int {
			got[i] = loop.Now()
			return i
		}))
		for i, at := range asks {
			got[i] = never
			_, _ = loop.Deferred(at, func() {
				flow.Start(context.Background(), loop, s, i).Then(func(_ int, err error) {
					if errors.Is(err, fault.DefenseRejected) {
						got[i] = rejected
					}
				})
			})
		}
		loop.Run()

		var entries, want []time.Duration
		for _, at := range asks {
			enters := at
			for j, e := range entries {
				enters = max(enters, e, e+time.Duration(len(entries)-j+1-burst)*every)
			}
			if maxQueue == 0 && enters > at {
				enters = rejected
			} else {
				entries = append(entries, enters)
			}
			want = append(want, enters)
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("%d, one every %v: entries of %v\n got %v\nwant %v", burst, every, asks, got, want)
		}
	})
}
