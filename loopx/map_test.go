package loopx_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

func TestEachMap(t *testing.T) {
	t.Run("L4 in ascending order of the keys", func(t *testing.T) {
		plays(t, loopx.EachMap(spell[string, int]()), map[string]int{"c": 3, "a": 1, "b": 2}, "a=1 b=2 c=3 ")
		plays(t, loopx.EachMap(spell[int, bool]()), map[int]bool{10: true, 9: false}, "9=false 10=true ")
	})

	t.Run("L4 of no elements the zero value", func(t *testing.T) {
		plays(t, loopx.EachMap(spell[string, int]()), nil, "")
	})

	t.Run("elements changed by a turn", func(t *testing.T) {
		m := map[string]int{"a": 1, "b": 2, "c": 3}
		plays(t, loopx.EachMap(step.Map(func(it loopx.Item[string, int, int]) int {
			delete(m, "b") // is skipped
			m["c"] = 30    // is seen
			m["d"] = 4     // came too late
			return it.Carry + it.Value
		})), m, 31)
	})
}
