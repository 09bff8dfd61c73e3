package bench

import (
	"sync"
	"testing"

	"github.com/failsafe-go/failsafe-go/bulkhead"
	"golang.org/x/sync/semaphore"

	"github.com/futoin-go/asyncsteps/syncx"
)

// Mutex: enter a section that nobody is in, call a function, and leave, n times one after the other.
//
// asyncsteps and semaphore let one in, first come, first served. The bulkhead of failsafe is used without an executor. The floor
// is a sync.Mutex, whose waiters block their goroutines and can't be cancelled.
var mutex = row{
	sizes: []int{1, 16},
	want:  same,
	columns: []column{
		ours(sections),
		guarded("floor", func() guard {
			var m sync.Mutex
			return guard{func() error { m.Lock(); return nil }, m.Unlock}
		}),
		guarded("semaphore", func() guard {
			s := semaphore.NewWeighted(1)
			return guard{func() error { return s.Acquire(background, 1) }, func() { s.Release(1) }}
		}),
		guarded("failsafe", func() guard {
			h := bulkhead.New[int](1)
			return guard{func() error { return h.AcquirePermit(background) }, h.ReleasePermit}
		}),
	},
}

func sections(n int) number { return times(n, syncx.Sync(syncx.NewMutex(1, -1), inc)) }

type guard struct {
	enter func() error
	leave func()
}

// guarded returns a column of n functions, each in a section of the same guard.
func guarded(name string, newGuard func() guard) column {
	return peer(name, func(_ testing.TB, n int) operation {
		g, all := newGuard(), adds(n)
		for i, f := range all {
			all[i] = func(v int) (int, error) {
				if err := g.enter(); err != nil {
					return 0, err
				}
				v, err := f(v)
				g.leave()
				return v, err
			}
		}
		return func() (int, error) { return call(all) }
	})
}

func BenchmarkMutex(b *testing.B) { mutex.bench(b) }
