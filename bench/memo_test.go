package bench

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// memo: n requests want the value of one key at once, which isn't kept anywhere: they share the call of a function. The result
// is the sum of their values.
//
// asyncsteps starts a run for each on one loop; the load is one run more. singleflight has a goroutine for each, and calls the
// function as often as they happen to miss each other.
var memo = row{
	sizes: []int{1, 10, 100, 1000},
	want:  same,
	columns: []column{
		peer("asyncsteps", func(_ testing.TB, n int) operation {
			get := share.NewMemo(share.MemoPolicy{}, inc).Get()
			loop := tool.NewManual(tool.Options{})
			return func() (total int, err error) {
				runs := make([]*flow.Running[int], n)
				for i := range runs {
					runs[i] = flow.Start(background, loop, get, 0)
				}
				for loop.Iterate() {
				}
				for _, r := range runs {
					v, err := r.Result()
					if err != nil {
						return 0, err
					}
					total += v
				}
				return total, nil
			}
		}),
		peer("singleflight", func(_ testing.TB, n int) operation {
			var g singleflight.Group
			f := adds(1)[0]
			ask := func() int {
				v, err, _ := g.Do("key", func() (any, error) { return f(0) })
				if err != nil {
					return 0
				}
				return v.(int)
			}
			return func() (int, error) {
				got := make([]int, n)
				var wg sync.WaitGroup
				for i := range got {
					wg.Go(func() { got[i] = ask() })
				}
				wg.Wait()
				return sum(got, nil)
			}
		}),
	},
}

// memoKept: ask n times, one after the other, for a value that is kept for an hour.
//
// singleflight keeps nothing, so it has what programs put in front of it: a map under a lock, with the time until which a value
// may be used. otter is a cache with a loader.
var memoKept = row{
	sizes: []int{1, 16},
	want:  func(int) int { return 1 },
	columns: []column{
		ours(func(n int) number {
			get := share.NewMemo(share.MemoPolicy{Lifetime: time.Hour}, inc).Get()
			zero := step.Map(func(int) int { return 0 })
			all := make([]number, 0, 2*n)
			for range n {
				all = append(all, zero, get)
			}
			return flow.Chain(all...)
		}),
		peer("singleflight", func(_ testing.TB, n int) operation {
			type kept struct {
				v     int
				until time.Time
			}
			var mu sync.Mutex
			values := map[int]kept{}
			var g singleflight.Group
			f := adds(1)[0]
			ask := func(k int) (int, error) {
				mu.Lock()
				e, ok := values[k]
				mu.Unlock()
				if ok && time.Now().Before(e.until) {
					return e.v, nil
				}
				v, err, _ := g.Do("key", func() (any, error) {
					v, err := f(k)
					mu.Lock()
					values[k] = kept{v, time.Now().Add(time.Hour)}
					mu.Unlock()
					return v, err
				})
				return v.(int), err
			}
			return asked(n, ask)
		}),
		peer("otter", func(tb testing.TB, n int) operation {
			c, err := otter.New(&otter.Options[int, int]{ExpiryCalculator: otter.ExpiryWriting[int, int](time.Hour)})
			if err != nil {
				tb.Fatal(err)
			}
			tb.Cleanup(func() { c.StopAllGoroutines() })
			f := adds(1)[0]
			load := otter.LoaderFunc[int, int](func(_ context.Context, k int) (int, error) { return f(k) })
			return asked(n, func(k int) (int, error) { return c.Get(background, k, load) })
		}),
	},
}

func asked(n int, ask func(key int) (int, error)) operation {
	return func() (v int, err error) {
		for range n {
			if v, err = ask(0); err != nil {
				break
			}
		}
		return v, err
	}
}

func BenchmarkMemo(b *testing.B)     { memo.bench(b) }
func BenchmarkMemoKept(b *testing.B) { memoKept.bench(b) }
