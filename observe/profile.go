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

// Profile labels the goroutine of the loop while it works for a step, so that CPU profiles show
// how much time each step took: "go tool pprof -tags" lists it by [PlanLabel] and [StepLabel].
// Goroutines that a body starts inherit the labels, those of step.Await among them.
//
// Profile sets the labels when a body is about to be called, and when an error is raised at a step, because the handler and the
// cleanups of the step come next. It removes the labels at the other events except Handled, such as when the step waits or ends.
// The goroutine then has the labels of the run's context, as after pprof.Do. For flow.Run these are the labels of the caller; on a
// loop there are usually none.
//
// # Limits
//
// When an error or a cancel passes outer steps, their handlers, hooks and cleanups run without
// labels. If a run uses up its share of the loop just after a body has returned sub-steps,
// the work of other runs is counted to that body until the run goes on, unless Profile observes
// those runs too.
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

// profiled holds the labels of one run.
type profiled struct {
	outside context.Context            // the context of the run: its labels are those of the goroutine between steps
	plan    context.Context            // outside, with the label of the plan
	steps   map[string]context.Context // by the label of a step: plan with that label
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
		if len(p.steps) == maxLabels { // the steps of the run have ever new names
			clear(p.steps)
		}
		ctx = pprof.WithLabels(p.plan, pprof.Labels(StepLabel, label))
		p.steps[label] = ctx //nolint:fatcontext // each is derived from p.plan, not from the one before
	}
	return ctx
}

const maxLabels = 256
