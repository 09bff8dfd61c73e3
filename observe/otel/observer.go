package otel

import (
	"context"

	global "go.opentelemetry.io/otel"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/futoin-go/asyncsteps/observe"
)

// Options say how much is told. The zero Options is good.
type Options struct {
	// RunsOnly leaves out the spans of steps. Errors, time limits and answers of
	// handlers are events of the run then, with the path of the step; waits aren't
	// told. For plans with loops of many turns.
	RunsOnly bool
}

// scope is what the spans are said to come from.
const scope = "github.com/futoin-go/asyncsteps/observe/otel"

// New makes an observer whose spans go to provider; nil stands for the provider
// that is global when New is called. It may be shared by any number of runs, on any
// loops.
//
// A run whose span isn't recorded, as the sampler decides, costs no more than
// that span; its steps have none.
func New(provider trace.TracerProvider, o Options) observe.Observer {
	if provider == nil {
		provider = global.GetTracerProvider()
	}
	tracer := provider.Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL))
	return observe.Func(func(ctx context.Context, about observe.Run) (context.Context, observe.Watch) {
		ctx, span := tracer.Start(ctx, about.Name(),
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
