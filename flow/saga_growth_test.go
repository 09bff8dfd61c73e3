package flow_test

import (
	"runtime"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

// A saga that succeeds inside of another one hands over what it has done without copying it: four times as many sagas,
// each with an effect of its own, need at most six times the memory.
func TestSagasNestedDeeply(t *testing.T) {
	undone := 0
	effect := flow.Undo(step.Map(func(i int) int { return i + 1 }), step.Map(func(int) step.Unit { undone++; return step.Unit{} }))
	fails := step.Func(func(step.Scope, int) (int, error) { return 0, errBad })
	used := func(depth int) uint64 {
		nested := effect
		for range depth {
			nested = flow.Then(effect, flow.Saga(nested))
		}
		p := flow.Saga(flow.Then(nested, fails))
		if err := p.Err(); err != nil {
			t.Fatal(err)
		}
		undone = 0
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := plantest.Run(t, p, 0); err == nil || undone != depth+1 {
			t.Errorf("%d of %d effects were undone: %v", undone, depth+1, err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	used(1)
	if one, four := used(1000), used(4000); four > 6*one {
		t.Errorf("1000 nested sagas took %d bytes, 4000 of them %d", one, four)
	}
}
