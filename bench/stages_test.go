package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// SuspendedStages: as Suspended, but each run is twenty stages, each of which has a limit and is tried up to three times. The
// tenth stage waits.
//
// There are fewer runs at once than in Suspended, so that they fit into the memory of the machine even if each takes many kilobytes.
func BenchmarkSuspendedStages(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("col=asyncsteps/n=%d", n), func(b *testing.B) {
			lives(b, newRuns(n, 1+stagesAfter, stages))
		})
	}
}

// The numbers of stages before and after the one that waits.
const stagesBefore, stagesAfter = 9, 10

func stages(wait number) number {
	var all []number
	for range stagesBefore {
		all = append(all, stage(inc))
	}
	all = append(all, stage(wait))
	for range stagesAfter {
		all = append(all, stage(inc))
	}
	return flow.Chain(all...)
}

var tries = loopx.NewLabel[int]("tries")

// stage returns s with three tries within an hour.
func stage(s number) number {
	input := step.Map(func(t loopx.Iteration[int]) int { return t.Carry })
	done := step.New(func(_ step.Scope, v int) step.Next[int] { return loopx.BreakTo[int](tries, v) })
	again := func(step.Scope, error) step.Next[int] { return loopx.Continue[int]() }
	try := flow.Catch(flow.Then(input, flow.Then(s, done)), again)
	return flow.Timeout(time.Hour, loopx.Labelled(tries, loopx.Repeat(3, try)))
}
