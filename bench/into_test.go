package bench

import (
	"testing"

	"github.com/samber/ro"

	"github.com/futoin-go/asyncsteps/step"
)

// Into: a step whose result is that of a sub-step, which is made the same way, n levels deep; the innermost is a plain step.
//
// The floor is functions that call each other. With ro each value becomes a pipeline of its own, by FlatMap.
var into = row{
	sizes: []int{1, 16, 100, 1000},
	want:  func(int) int { return 1 },
	columns: []column{
		ours(func(n int) number {
			s := inc
			for range n {
				inner := s
				s = step.New(func(as step.Scope, i int) step.Next[int] { return step.Into(as, inner, i) })
			}
			return s
		}),
		peer("floor", func(_ testing.TB, n int) operation {
			f := adds(1)[0]
			for range n {
				inner := f
				f = func(i int) (int, error) {
					v, err := inner(i)
					if err != nil {
						return 0, err
					}
					return v, nil
				}
			}
			return func() (int, error) { return f(0) }
		}),
		peer("ro", func(_ testing.TB, n int) operation {
			f := adds(1)[0]
			level := func(i int) ro.Observable[int] { return ro.MapErr(f)(ro.Just(i)) }
			for range n {
				inner := level
				level = func(i int) ro.Observable[int] { return ro.FlatMap(inner)(ro.Just(i)) }
			}
			return func() (int, error) { return last(ro.Collect(level(0))) }
		}).upTo(100),
	},
}

func BenchmarkInto(b *testing.B) { into.bench(b) }
