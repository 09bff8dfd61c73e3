package bench

import (
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/tool"
)

// These rows are one run each, on an event loop that exists before and after it: flow.Start, turn the loop until nothing is
// ready to run, ask for the result. The column cpp, of cpp/rows.cpp, does the same with roots of the C++ implementation, which
// has no other way to run steps.

func started(name string, plan func(n int) number) column {
	return peer(name, func(_ testing.TB, n int) operation {
		p, loop := plan(n), tool.NewManual(tool.Options{})
		return func() (int, error) {
			r := flow.Start(background, loop, p, 0)
			for loop.Iterate() {
			}
			return r.Result()
		}
	})
}

// Start: one plain step.
var start = row{
	want:    same,
	columns: []column{started("asyncsteps", func(int) number { return inc })},
}

// StartWait: one step that waits for a callback which it has queued on the loop.
var startWait = row{
	want:    same,
	columns: []column{started("asyncsteps", waits)},
}

// StartTimeout: one step with a limit, which is taken back. In the columns
// asyncsteps.body and cpp the body of the step sets the limit.
var startTimeout = row{
	want:    same,
	columns: []column{started("asyncsteps", limits), started("asyncsteps.body", ownLimits)},
}

// StartPar2: two plain branches, and a step for the sum of their results.
var startPar2 = row{
	want:    func(int) int { return 2 },
	columns: []column{started("asyncsteps", sumOfTwo)},
}

// StartMutex: one step in a section that nobody is in.
var startMutex = row{
	want:    same,
	columns: []column{started("asyncsteps", sections)},
}

func BenchmarkStart(b *testing.B) { start.bench(b) }

func BenchmarkStartWait(b *testing.B) { startWait.bench(b) }

func BenchmarkStartTimeout(b *testing.B) { startTimeout.bench(b) }

func BenchmarkStartPar2(b *testing.B) { startPar2.bench(b) }

func BenchmarkStartMutex(b *testing.B) { startMutex.bench(b) }
