package explore_test

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

// BenchmarkSchedules measures how many schedules of a program with two waiting branches and a cancel are explored in a second.
func BenchmarkSchedules(b *testing.B) {
	wait := step.New(func(as step.Scope, in int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) {
			_, _ = as.Loop().Deferred(1, func() { done.Succeed(in) })
		})
	})
	plan := flow.Par(wait, wait)
	errStop := errors.New("stop")
	schedules := 0
	for b.Loop() {
		schedules += explore.All(explore.Bounds{}, func(x *explore.Trial) error {
			run := flow.Start(b.Context(), x.Loop(), plan, 0)
			return x.Run(explore.Action{Name: "cancel", Do: func() { run.Cancel(errStop) }})
		}).Schedules
	}
	b.ReportMetric(float64(schedules)/b.Elapsed().Seconds(), "schedules/s")
}
