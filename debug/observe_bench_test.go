package debug_test

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// BenchmarkRun measures a run of 16 steps, with 33 events: without an observer, with one that does nothing, with a Handler that
// lists the run, and with one that has too many runs to list.
func BenchmarkRun(b *testing.B) {
	p := flow.Of(plantest.Named("", nil))
	for range 15 {
		p = flow.Then(p, plantest.Named("", nil))
	}
	listing, full := debug.New(debug.Options{}), debug.New(debug.Options{Live: 1})
	listing.Guard("guard", syncx.NewMutex(1, 0))
	full.Start(context.Background(), observe.Run{}) // never ends, so the list stays full
	deaf := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(observe.Event) {}
	})
	for _, c := range []struct {
		name     string
		observer observe.Observer
	}{{"unobserved", nil}, {"unused", deaf}, {"listed", listing}, {"unlisted", full}} {
		b.Run(c.name, func(b *testing.B) {
			ctx := observe.With(context.Background(), c.observer)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := flow.Run(ctx, p, step.Unit{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWait measures a step that waits, for which the Handler looks up the place in the source.
func BenchmarkWait(b *testing.B) {
	wait := step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		return step.Wait(as, func(done step.Done[step.Unit]) {
			_, _ = as.Loop().Immediate(func() { done.Succeed(step.Unit{}) })
		})
	})
	for _, c := range []struct {
		name     string
		observer observe.Observer
	}{{"unobserved", nil}, {"listed", debug.New(debug.Options{})}} {
		b.Run(c.name, func(b *testing.B) {
			ctx := observe.With(context.Background(), c.observer)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := flow.Run(ctx, wait, step.Unit{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
