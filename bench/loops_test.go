package bench

import (
	"fmt"
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// Loops: sixteen flows, each a loop of two thousand turns with a plain step, on
// n loops at once. An operation is all of them.
//
// The floor is the same number of plain loops that call a function, on n
// goroutines: it tells what this machine gains by a second processor while the
// measurement lasts.
func BenchmarkLoops(b *testing.B) {
	const flows, turns = 16, 2_000
	plan := loopx.Repeat(turns, step.Func(func(_ step.Scope, t loopx.Turn[int]) (int, error) { return t.Carry + 1, nil }))
	for _, n := range []int{1, 2} {
		b.Run(fmt.Sprintf("col=asyncsteps/n=%d", n), func(b *testing.B) {
			group := tool.NewGroup(n, tool.Options{})
			loops := group.Loops()
			running := make([]*flow.Running[int], flows)
			b.ReportAllocs()
			report := processors(b)
			for b.Loop() {
				for i := range running {
					running[i] = flow.Start(background, loops[i%n], plan, 0)
				}
				for _, r := range running {
					if v, err := r.Wait(background); v != turns || err != nil {
						b.Fatal(v, err)
					}
				}
			}
			report(1, "ns/op")
			if err := group.Shutdown(background); err != nil {
				b.Error(err)
			}
		})
		b.Run(fmt.Sprintf("col=floor/n=%d", n), func(b *testing.B) {
			const calls = 10 * turns // a turn of asyncsteps is worth some calls
			f := adds(1)[0]
			b.ReportAllocs()
			report := processors(b)
			for b.Loop() {
				var g sync.WaitGroup
				for range n {
					g.Go(func() {
						for range flows / n {
							if v, err := again(calls, f); v != calls || err != nil {
								b.Error(v, err)
							}
						}
					})
				}
				g.Wait()
			}
			report(1, "ns/op")
		})
	}
}
