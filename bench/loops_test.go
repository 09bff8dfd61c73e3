package bench

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// An operation of Loops is loopFlows flows of loopTurns iterations each.
const loopFlows, loopTurns = 16, 2_000

// Loops: sixteen flows, each of two thousand iterations of a plain step, on n event loops at once. An operation is all of them.
//
// In the column goroutine n goroutines do the same work and share nothing: each has its own plan, starts its part of the flows
// on its own loop, and drives that loop.
//
// The floor is the same number of plain loops that call a function, on n goroutines: it shows what this machine gains by a
// second processor during the measurement.
func BenchmarkLoops(b *testing.B) {
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprintf("col=asyncsteps/n=%d", n), func(b *testing.B) { onLoops(b, n) })
		b.Run(fmt.Sprintf("col=goroutine/n=%d", n), func(b *testing.B) { onGoroutines(b, n, byHand) })
		b.Run(fmt.Sprintf("col=floor/n=%d", n), func(b *testing.B) { onGoroutines(b, n, byCalls) })
	}
}

func onLoops(b *testing.B, n int) {
	b.Helper()
	group, plan := tool.NewGroup(n, tool.Options{}), longLoop()
	loops := group.Loops()
	running := make([]*flow.Running[int], loopFlows)
	b.ReportAllocs()
	report := processors(b)
	for b.Loop() {
		for i := range running {
			running[i] = flow.Start(background, loops[i%n], plan, 0)
		}
		for _, r := range running {
			if v, err := r.Wait(background); v != loopTurns || err != nil {
				b.Fatal(v, err)
			}
		}
	}
	report(1, "ns/op")
	if err := group.Shutdown(background); err != nil {
		b.Error(err)
	}
}

// onGoroutines measures all flows on n new goroutines. Each calls a function made by newPart, which runs its part of the flows.
func onGoroutines(b *testing.B, n int, newPart func(flows int) func() error) {
	b.Helper()
	parts := make([]func() error, n)
	for i := range parts {
		parts[i] = newPart(loopFlows / n)
	}
	b.ReportAllocs()
	report := processors(b)
	for b.Loop() {
		var g sync.WaitGroup
		for _, part := range parts {
			g.Go(func() {
				if err := part(); err != nil {
					b.Error(err)
				}
			})
		}
		g.Wait()
	}
	report(1, "ns/op")
}

// byHand returns a function that runs flows of a new plan on a new loop.
func byHand(flows int) func() error {
	loop, plan := tool.NewManual(tool.Options{}), longLoop()
	running := make([]*flow.Running[int], flows)
	return func() error {
		for i := range running {
			running[i] = flow.Start(background, loop, plan, 0)
		}
		for loop.Iterate() {
		}
		for _, r := range running {
			if v, err := r.Result(); v != loopTurns || err != nil {
				return errors.Join(fmt.Errorf("the result is %d", v), err)
			}
		}
		return nil
	}
}

// byCalls returns a function that makes calls in a loop: ten for each iteration of the other columns, because these cost more.
func byCalls(flows int) func() error {
	const calls = 10 * loopTurns
	f := adds(1)[0]
	return func() error {
		for range flows {
			if v, err := again(calls, f); v != calls || err != nil {
				return errors.Join(fmt.Errorf("the result is %d", v), err)
			}
		}
		return nil
	}
}

func longLoop() number {
	return loopx.Repeat(loopTurns, step.Func(func(_ step.Scope, t loopx.Iteration[int]) (int, error) { return t.Carry + 1, nil }))
}
