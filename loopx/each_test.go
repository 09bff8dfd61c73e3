package loopx_test

import (
	"fmt"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

func spell[K, V any]() step.Step[loopx.Item[K, V, string], string] {
	return step.Map(func(it loopx.Item[K, V, string]) string {
		return it.Carry + fmt.Sprintf("%v=%v ", it.Key, it.Value)
	})
}

func TestEach(t *testing.T) {
	t.Run("elements in order, with their index", func(t *testing.T) {
		plantest.WantResult(t, loopx.Each(spell[int, string]()), []string{"apple", "banana"}, "0=apple 1=banana ")
	})

	t.Run("L4 of no elements the zero value", func(t *testing.T) {
		plantest.WantResult(t, loopx.Each(spell[int, string]()), nil, "")
	})

	t.Run("L1 a break at one element", func(t *testing.T) {
		plantest.WantResult(t, loopx.Each(step.New(func(_ step.Scope, it loopx.Item[int, string, string]) step.Next[string] {
			if it.Value == "b" {
				return loopx.Break[string]()
			}
			return step.Succeed(it.Carry + it.Value)
		})), []string{"a", "b", "c"}, "a")
	})

	t.Run("a loop over lists in a list", func(t *testing.T) {
		inner := flow.Then(step.Map(func(it loopx.Item[int, []int, int]) []int {
			return append([]int{it.Carry}, it.Value...)
		}), loopx.Each(step.Map(func(it loopx.Item[int, int, int]) int { return it.Carry + it.Value })))
		plantest.WantResult(t, loopx.Each(inner), [][]int{{1, 2}, nil, {3}}, 6)
	})
}
