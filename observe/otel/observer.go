package otel

import (
	"context"

	global "go.opentelemetry.io/otel"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/futoin-go/asyncsteps/observe"
)

// Options set how much is reported. The zero Options is ready for use.
type Options struct {
	// RunsOnly leaves out the spans of steps. Errors, time limits, answers of handlers, changes of guards and ends of streams
	// are then events of the run, with the path of the step; waits aren't reported. Use it for plans with loops of many iterations.
	RunsOnly bool
}

// scope is the instrumentation scope of the spans.
const scope = "github.com/futoin-go/asyncsteps/observe/otel"

// New makes an observer that starts its spans with provider. A nil provider stands for the one that is global when New is
// called. Any number of runs, on any loops, may share the observer.
//
// If the sampler decides not to record the span of a run, its steps have no spans, and the run isn't watched.
func New(provider trace.TracerProvider, o Options) observe.Observer {
	if provider == nil {
		provider = global.GetTracerProvider()
	}
	tracer := provider.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL))
	return observe.Func(func(ctx context.Context, about observe.Run) (context.Context, observe.Watch) {
		ctx, span := tracer.Start(ctx, valid(about.Name()),
			trace.WithTimestamp(about.Started), trace.WithAttributes(append(ofRun(about), ofAttrs(about.Attrs())...)...))
		if !span.IsRecording() {
			span.End()
			return ctx, nil
		}
		r := &run{about: about, tracer: tracer, ctx: ctx, span: span, started: about.Started}
		if !o.RunsOnly {
			r.steps = make(map[string]*live)
		}
		return ctx, r.watch
	})
}
