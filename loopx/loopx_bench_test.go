package loopx_test

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

func counted(n int) map[string]step.Step[int, int] {
	values := make([]int, n)
	return map[string]step.Step[int, int]{
		"Loop":   upTo(n),
		"Repeat": loopx.Repeat(n, step.Map(func(t loopx.Iteration[int]) int { return t.Carry + 1 })),
		"Each": flow.Then(flow.Value[int](values), loopx.Each(step.Map(func(it loopx.Item[int, int, int]) int {
			return it.Carry + 1
		}))),
		"Continue": loopx.Repeat(n, step.New(func(step.Scope, loopx.Iteration[int]) step.Next[int] {
			return loopx.Continue[int]()
		})),
		"SubSteps": loopx.Repeat(n, step.New(func(as step.Scope, t loopx.Iteration[int]) step.Next[int] {
			return step.Into(as, increment, t.Carry)
		})),
	}
}

var increment = plantest.Add(1)

func TestTurnsAllocateNothing(t *testing.T) {
	if racetest.Enabled {
		t.Skip("the race detector allocates")
	}
	ctx := context.Background()
	for name, one := range counted(1) {
		many := counted(1000)[name]
		per := func(p step.Step[int, int]) float64 {
			return testing.AllocsPerRun(100, func() {
				if _, err := flow.Run(ctx, p, 0); err != nil {
					t.Fatal(err)
				}
			})
		}
		if a, b := per(one), per(many); a != 0 || b != 0 {
			t.Errorf("%s: %v allocations for 1 turn, %v for 1000", name, a, b)
		}
	}
}

func TestTurnsOfIteratorsAllocateNothing(t *testing.T) {
	if racetest.Enabled {
		t.Skip("the race detector allocates")
	}
	ctx := context.Background()
	p := loopx.EachSeq(step.Map(func(it loopx.Item[int, int, int]) int { return it.Carry + 1 }))
	per := func(n int) float64 {
		return testing.AllocsPerRun(100, func() {
			got, err := flow.Run(ctx, p, func(yield func(int) bool) {
				for i := 0; i < n && yield(i); i++ {
				}
			})
			if got != n || err != nil {
				t.Fatal(got, err)
			}
		})
	}
	if one, many := per(1), per(1000); many > one {
		t.Errorf("%v allocations for 1 turn, %v for 1000", one, many)
	}
}

func BenchmarkTurn(b *testing.B) {
	const turns = 1000
	for name, p := range counted(turns) {
		b.Run(name, func(b *testing.B) {
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := flow.Run(ctx, p, 0); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/turns, "ns/turn")
		})
	}
}
