package loopx_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

func TestRepeat(t *testing.T) {
	index := step.Map(func(t loopx.Iteration[[]int]) []int { return append(t.Carry, t.Index) })

	t.Run("L4 counts from 0 and begins with its input", func(t *testing.T) {
		plantest.WantResult(t, loopx.Repeat(3, index), []int{9}, []int{9, 0, 1, 2})
	})

	t.Run("L4 no turns give the input", func(t *testing.T) {
		plantest.WantResult(t, loopx.Repeat(0, index), []int{9}, []int{9})
	})

	t.Run("L1 a continue goes on with the next index", func(t *testing.T) {
		plantest.WantResult(t, loopx.Repeat(4, step.New(func(_ step.Scope, t loopx.Iteration[[]int]) step.Next[[]int] {
			if t.Index == 1 {
				return loopx.Continue[[]int]()
			}
			return step.Succeed(append(t.Carry, t.Index))
		})), nil, []int{0, 2, 3})
	})

	t.Run("L1 a continue in the first turn keeps the input", func(t *testing.T) {
		p := loopx.Repeat(2, step.New(func(step.Scope, loopx.Iteration[int]) step.Next[int] { return loopx.Continue[int]() }))
		plantest.WantResult(t, p, 9, 9)
		plantest.WantResult(t, p, 8, 8)
	})

	t.Run("counts from 0 each time", func(t *testing.T) {
		inner := loopx.Repeat(2, step.Map(func(t loopx.Iteration[[]int]) []int { return append(t.Carry, t.Index) }))
		plantest.WantResult(t, loopx.Repeat(2, step.New(func(as step.Scope, t loopx.Iteration[[]int]) step.Next[[]int] {
			return step.Into(as, inner, t.Carry)
		})), nil, []int{0, 1, 0, 1})
	})

	t.Run("a negative count is reported", func(t *testing.T) {
		_, err := plantest.Run(t, loopx.Repeat(-1, index), nil)
		plantest.WantCode(t, err, fault.InvalidRequest)
	})
}
