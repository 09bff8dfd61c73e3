package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
)

const steps = 10

// run executes one run, with the given id, and returns how many steps it has counted.
type run func(ctx context.Context, id string) (int, error)

// most is the highest number of runs at once in the benchmarks of an engine.
var engines = []struct {
	name string
	open func(t testing.TB, path string) run
	most int
}{
	{"asyncsteps", openOurs, 512},
	{"asyncsteps-relaxed", openRelaxed, 512},
	{"dbos", openDBOS, 512},
	{"dbos-full", openSafeDBOS, 512},
	{"go-workflows", openGoWorkflows, 64},
}

// all executes as many runs as the parameter runs says, at most atOnce at a time.
func all(t testing.TB, one run, runs, atOnce int) {
	t.Helper()
	var begun atomic.Int64
	var ended sync.WaitGroup
	for range atOnce {
		ended.Go(func() {
			for {
				i := begun.Add(1)
				if i > int64(runs) {
					return
				}
				if n, err := one(t.Context(), fmt.Sprintf("run-%d", i)); n != steps || err != nil {
					t.Errorf("run %d: got %d, %v", i, n, err)
					return
				}
			}
		})
	}
	ended.Wait()
}

func TestEngines(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			all(t, e.open(t, filepath.Join(t.TempDir(), "bench.db")), 8, 4)
		})
	}
}

func BenchmarkSteps(b *testing.B) {
	for _, atOnce := range []int{1, 16, 64, 512} {
		for _, e := range engines {
			if atOnce > e.most {
				continue
			}
			b.Run(fmt.Sprintf("runs=%d/engine=%s", atOnce, e.name), func(b *testing.B) {
				one := e.open(b, filepath.Join(b.TempDir(), "bench.db"))
				before := enginetest.ProcessorTime(b)
				b.ResetTimer()
				all(b, one, b.N, atOnce)
				b.StopTimer()
				done := float64(b.N) * steps
				b.ReportMetric(done/b.Elapsed().Seconds(), "steps/s")
				b.ReportMetric(float64((enginetest.ProcessorTime(b)-before).Nanoseconds())/done, "cpu-ns/step")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
