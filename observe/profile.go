package observe

import (
	"context"
	"runtime/pprof"
)

// Names of the labels that [Profile] sets.
const (
	PlanLabel = "plan" // the name of the run's plan
	StepLabel = "step" // name or kind of the step
)

// Profile labels the goroutine of the loop while it works for a step, so that CPU
// profiles say which step the time went to: "go tool pprof -tags" lists it by
// [PlanLabel] and [StepLabel]. Goroutines that a body starts inherit the labels,
// those of step.Await among them.
//
// The labels are set when a body is about to be called and when an error is
// raised at a step, whose handler and cleanups come next. They are taken back
// when the step waits or ends; the goroutine has the labels of the run's context
// then, as after pprof.Do: those that flow.Run was called with, and as a rule none
// on a loop.
//
// # Limits
//
// What runs before the next step begins counts to nobody: handlers, hooks and
// cleanups of the outer steps that an error or a cancel passes. And if a run has
// used up its share of the loop just after a body gave sub-steps, what others do
// until the run goes on counts to that body, unless they are observed too.
func Profile() Observer {
	return Func(func(ctx context.Context, run Run) (context.Context, Watch) {
		p := profiled{
			outside: ctx,
			plan:    pprof.WithLabels(ctx, pprof.Labels(PlanLabel, run.Name())),
			steps:   make(map[string]context.Context),
		}
		return ctx, p.watch
	})
}

// profiled is one run.
type profiled struct {
	outside context.Context            // with the labels that the goroutine has between steps
	plan    context.Context            // and with that of the plan
	steps   map[string]context.Context // and with that of a step, by label: made once
}

func (p *profiled) watch(e Event) {
	switch e.Kind {
	case StepStart, Raised:
		pprof.SetGoroutineLabels(p.step(e.Label()))
	case Handled:
		// Cleanups of the step, or the steps of its handler, come next.
	default:
		pprof.SetGoroutineLabels(p.outside)
	}
}

func (p *profiled) step(label string) context.Context {
	ctx, known := p.steps[label]
	if !known {
		if len(p.steps) == maxLabels { // a plan that makes up names as it runs
			clear(p.steps)
		}
		ctx = pprof.WithLabels(p.plan, pprof.Labels(StepLabel, label))
		p.steps[label] = ctx //nolint:fatcontext // each is made of the plan's, not of the one before
	}
	return ctx
}

// maxLabels bounds what a run remembers.
const maxLabels = 256
