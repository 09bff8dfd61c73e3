package bench

import (
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go/ratelimiter"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/futoin-go/asyncsteps/syncx"
)

const plenty = 1 << 40

// Throttle: enter a section that is bounded in how often it is entered, and call a function, n times one after the other.
// Nobody has to wait, but each entry is counted.
//
// asyncsteps counts in windows of an hour, and so does failsafe; rate has a bucket that fills.
var throttle = row{
	sizes: []int{1, 16},
	want:  same,
	columns: []column{
		ours(func(n int) number { return times(n, syncx.Sync(syncx.NewThrottle(plenty, time.Hour, -1), inc)) }),
		guarded("rate", func() guard {
			l := rate.NewLimiter(plenty, plenty)
			return guard{func() error { return l.Wait(background) }, func() {}}
		}),
		guarded("failsafe", func() guard {
			l := ratelimiter.NewBursty[int](plenty, time.Hour)
			return guard{func() error { return l.AcquirePermit(background) }, func() {}}
		}),
	},
}

// Limiter: a section that is bounded both in how many are inside and in how often it is entered, otherwise as Throttle.
//
// rate alone bounds only the latter; it is here because the budget names it. The work of asyncsteps is that of semaphore+rate.
var limiter = row{
	sizes: []int{1, 16},
	want:  same,
	columns: []column{
		ours(func(n int) number {
			l := syncx.NewLimiter(syncx.Limits{Concurrent: 1, MaxQueue: -1, Rate: plenty, Period: time.Hour})
			return times(n, syncx.Sync(l, inc))
		}),
		guarded("rate", func() guard {
			l := rate.NewLimiter(plenty, plenty)
			return guard{func() error { return l.Wait(background) }, func() {}}
		}),
		guarded("semaphore+rate", func() guard {
			s, l := semaphore.NewWeighted(1), rate.NewLimiter(plenty, plenty)
			return guard{
				func() error {
					if err := s.Acquire(background, 1); err != nil {
						return err
					}
					return l.Wait(background)
				},
				func() { s.Release(1) },
			}
		}),
	},
}

func BenchmarkThrottle(b *testing.B) { throttle.bench(b) }

func BenchmarkLimiter(b *testing.B) { limiter.bench(b) }
