package observe

import (
	"context"
	"runtime/trace"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
)

// Trace puts runs into the execution trace of package runtime/trace, to be read
// with "go tool trace": a run is a task, named after its plan, and every event
// of it a log message of that task, whose category is the kind of the event. A
// run that a step starts with the context of its scope is a task below. Runs
// that start while no trace is being taken aren't observed.
//
// The bodies of step.Map and step.Func are regions of the task, on the goroutine
// of the loop, named after the step. Other steps have none: regions must nest on
// their goroutine, while a step that holds others interleaves with those of other
// runs, and a body of step.New may turn out to be such a step. When they begin and
// end is in the log. In a context that has Trace already, a second one does
// nothing.
func Trace() Observer {
	return Func(func(ctx context.Context, run Run) (context.Context, Watch) {
		if !trace.IsEnabled() || ctx.Value(tracedKey{}) == run.ID {
			return ctx, nil
		}
		ctx, task := trace.NewTask(context.WithValue(ctx, tracedKey{}, run.ID), run.Name())
		t := traced{ctx: ctx, task: task}
		return ctx, t.watch
	})
}

// tracedKey is for the ID of the run that is being traced.
type tracedKey struct{}

// traced is one run.
type traced struct {
	ctx    context.Context
	task   *trace.Task
	region *trace.Region // of the body that is executing; nil if none
}

func (t *traced) watch(e Event) {
	if t.region != nil {
		t.region.End()
		t.region = nil
	}
	if trace.IsEnabled() {
		trace.Log(t.ctx, e.Kind.String(), message(e))
	}
	switch {
	case e.Kind == StepStart && closed(e.StepKind()):
		t.region = trace.StartRegion(t.ctx, e.Label())
	case e.Kind == RunEnd:
		t.task.End()
	}
}

// closed says whether the next event of a run surely comes when the body of
// such a step has returned, and on the same goroutine: then nobody else's
// region can begin or end in between but inside.
func closed(kind string) bool { return kind == "map" || kind == "func" }

// message says where, and what was wrong.
func message(e Event) string {
	var parts []string
	if e.IsStep() {
		parts = append(parts, e.Path()+" "+e.Label())
	}
	if e.Err != nil {
		parts = append(parts, string(fault.CodeOf(e.Err)))
		if info := fault.InfoOf(e.Err); info != "" {
			parts = append(parts, info)
		}
	}
	return strings.Join(parts, ": ")
}
