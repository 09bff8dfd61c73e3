package loopx_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

func TestEachMap(t *testing.T) {
	t.Run("L4 in ascending order of the keys", func(t *testing.T) {
		plantest.WantResult(t, loopx.EachMap(spell[string, int]()), map[string]int{"c": 3, "a": 1, "b": 2}, "a=1 b=2 c=3 ")
		plantest.WantResult(t, loopx.EachMap(spell[int, bool]()), map[int]bool{10: true, 9: false}, "9=false 10=true ")
	})

	t.Run("L4 of no elements the zero value", func(t *testing.T) {
		plantest.WantResult(t, loopx.EachMap(spell[string, int]()), nil, "")
	})

	t.Run("elements changed by a turn", func(t *testing.T) {
		m := map[string]int{"a": 1, "b": 2, "c": 3}
		plantest.WantResult(t, loopx.EachMap(step.Map(func(it loopx.Item[string, int, int]) int {
			delete(m, "b") // is skipped
			m["c"] = 30    // is seen
			m["d"] = 4     // added too late
			return it.Carry + it.Value
		})), m, 31)
	})
}

// L4: elements whose key is NaN come first, each once.
func TestL4EachMapVisitsNaN(t *testing.T) {
	visit := loopx.EachMap(step.Map(func(item loopx.Item[float64, int, []int]) []int {
		if nan := math.IsNaN(item.Key); nan != (item.Value < 0) {
			t.Errorf("key %v has the value %d", item.Key, item.Value)
		}
		return append(item.Carry, item.Value)
	}))
	in := map[float64]int{2: 2, math.Inf(-1): 0, math.NaN(): -1, 1: 1}
	in[math.NaN()] = -2
	in[math.NaN()] = -3
	for range 3 { // later runs may use the memory again
		got, err := plantest.Run(t, visit, in)
		if err != nil || len(got) != 6 {
			t.Fatalf("visited %v, %v", got, err)
		}
		slices.Sort(got[:3])
		if diff := cmp.Diff([]int{-3, -2, -1, 0, 1, 2}, got); diff != "" {
			t.Errorf("visited (-want +got):\n%s", diff)
		}
		plantest.WantResult(t, visit, map[float64]int{math.NaN(): -1}, []int{-1})
		plantest.WantResult(t, visit, map[float64]int{3: 3}, []int{3})
	}
}
