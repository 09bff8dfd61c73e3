package cron_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// everySecond returns a loop with a run of n jobs that do nothing and are due each second.
// They have had three rounds.
func everySecond(tb testing.TB, n int) *tooltest.Loop {
	tb.Helper()
	nothing := step.Map(func(u step.Unit) step.Unit { return u })
	jobs := make([]cron.Job, n)
	for i := range jobs {
		jobs[i] = cron.Job{Name: strconv.Itoa(i), Period: time.Second, Work: nothing}
	}
	loop := tooltest.New()
	table := cron.New(jobs...)
	run := flow.Start(tb.Context(), loop, table.Plan(), step.Unit{})
	loop.Advance(3 * time.Second)
	if got := table.List()[0].Rounds; got != 3 {
		tb.Fatalf("%d rounds in three seconds", got)
	}
	tb.Cleanup(func() {
		run.Cancel(nil)
		loop.Run()
	})
	return loop
}

func TestRoundsAllocateNothing(t *testing.T) {
	if racetest.Enabled {
		t.Skip("the race detector allocates")
	}
	loop := everySecond(t, 10)
	if n := testing.AllocsPerRun(100, func() { loop.Advance(time.Second) }); n != 0 {
		t.Errorf("ten rounds: %v allocations", n)
	}
}

// An operation is a round of one job, in virtual time.
func BenchmarkRounds(b *testing.B) {
	for _, n := range []int{1, 200} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			loop := everySecond(b, n)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N / n {
				loop.Advance(time.Second)
			}
		})
	}
}
