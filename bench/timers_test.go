package bench

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// Both rows have n timers alive at once, whose deadlines are drawn from a seed, the same for all columns. An operation is the
// life of all n, and ns/timer is that of one.

// TimersStop: arm n timers, and stop each in the order in which they were armed: none fires. The column time is the timers of
// the runtime, each its own object.
func BenchmarkTimersStop(b *testing.B) {
	for _, n := range crowds(b) {
		delays := drawn(n, time.Hour)
		b.Run(fmt.Sprintf("col=asyncsteps/n=%d", n), func(b *testing.B) {
			loop, handles := tool.NewManual(tool.Options{}), make([]tool.Handle, n)
			perTimer(b, n, func() {
				for i, d := range delays {
					handles[i], _ = loop.Deferred(time.Hour+d, func() {})
				}
				for _, h := range handles {
					if !loop.Cancel(h) {
						b.Fatal("a timer has gone off")
					}
				}
			})
		})
		b.Run(fmt.Sprintf("col=time/n=%d", n), func(b *testing.B) {
			timers := make([]*time.Timer, n)
			perTimer(b, n, func() {
				for i, d := range delays {
					timers[i] = time.AfterFunc(time.Hour+d, func() {})
				}
				for _, t := range timers {
					if !t.Stop() {
						b.Fatal("a timer has gone off")
					}
				}
			})
		})
	}
}

// TimersFire: arm n timers, let their time pass while the benchmark's clock is stopped, and fire them all. The timers of the
// runtime have no column: they fire when they are due, so their cost can't be told from the wait.
func BenchmarkTimersFire(b *testing.B) {
	for _, n := range crowds(b) {
		within := time.Duration(n) * time.Microsecond
		delays := drawn(n, within)
		b.Run(fmt.Sprintf("col=asyncsteps/n=%d", n), func(b *testing.B) {
			loop, fired := tool.NewManual(tool.Options{}), 0
			fire := func() { fired++ }
			perTimer(b, n, func() {
				fired = 0
				for _, d := range delays {
					_, _ = loop.Deferred(d, fire)
				}
				b.StopTimer()
				<-time.After(within)
				b.StartTimer()
				for loop.Iterate() {
				}
				if fired != n {
					b.Fatal(fired)
				}
			})
		})
	}
}

func perTimer(b *testing.B, n int, all func()) {
	b.Helper()
	b.ReportAllocs()
	report := processors(b)
	for b.Loop() {
		all()
	}
	report(n, "ns/timer")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/timer")
}

func drawn(n int, limit time.Duration) []time.Duration {
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]time.Duration, n)
	for i := range all {
		all[i] = time.Duration(random.Int64N(int64(limit)))
	}
	return all
}
