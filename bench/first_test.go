package bench

import (
	"runtime"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
)

// FirstRun: run a compiled plan of a thousand plain steps when no pool holds anything of an earlier run. ns/run is the run;
// ns/op includes the garbage collections that empty the pools.
func BenchmarkFirstRun(b *testing.B) {
	b.Run("col=asyncsteps", func(b *testing.B) {
		const n = 1_000
		plan := times(n, inc)
		var took time.Duration
		run := func() {
			began := time.Now()
			v, err := flow.Run(background, plan, 0)
			took += time.Since(began)
			if v != n || err != nil {
				b.Fatal(v, err)
			}
		}
		run() // compiles the plan
		took = 0
		for b.Loop() {
			runtime.GC()
			runtime.GC() // the second collection empties the pools
			run()
		}
		b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/run")
	})
}
