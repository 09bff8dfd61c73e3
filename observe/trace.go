package observe

import (
	"context"
	"runtime/trace"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
)

// Trace writes runs to the execution trace of package runtime/trace, which "go tool trace"
// shows. A run is a task named after its plan, and each event is a log message of that task,
// with the kind of the event as its category. A run that a step starts with the context of its
// scope is a subtask. Runs that start while no trace is being taken aren't observed.
//
// The bodies of step.Map and step.Func are regions of the task, on the goroutine of the loop,
// named after the step. Other steps have no region: regions must nest on their goroutine, but
// steps that hold other steps interleave with those of other runs, and a body of step.New may
// add such steps. The log messages show when those steps begin and end. In a context that has
// Trace already, a second Trace does nothing.
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

type tracedKey struct{}

// traced is the watch of one run.
type traced struct {
	ctx    context.Context
	task   *trace.Task
	region *trace.Region // of the body that is executing, or nil
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

// closed reports whether the event after the start of a step of this kind comes right after the body has returned, on the same
// goroutine. A region that begins in the body, such as that of another run, then ends in the body too, so the regions nest.
func closed(kind string) bool { return kind == "map" || kind == "func" }

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
