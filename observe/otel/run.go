package otel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// run is the watch of a run. Only the goroutine of the run's loop uses it.
type run struct {
	about     observe.Run
	tracer    trace.Tracer
	ctx       context.Context // the context of the run, which holds span
	span      trace.Span
	started   time.Time
	cancelled bool
	steps     map[string]*live // live steps with a span, by path; nil if steps get none
}

func (r *run) watch(e observe.Event) {
	at := r.started.Add(e.At)
	switch {
	case e.Kind == observe.Progress:
		r.progress(e, at)
	case e.Kind == observe.RunEnd:
		r.leaveBehind(at)
		r.span.SetAttributes(ofAttrs(r.about.Attrs())...) // steps may have added attributes since the start
		end(r.span, e.Err, r.cancelled, at)
	case !e.IsStep():
		r.cancelled = e.Kind == observe.Cancelled
		tell(r.span, e, at)
	case r.steps == nil:
		r.tellOf(e, at)
	default:
		r.step(e, e.Path(), at)
	}
}

func (r *run) step(e observe.Event, path string, at time.Time) {
	if e.Kind == observe.StepStart {
		r.begin(e, path, at)
		return
	}
	l := r.steps[path]
	switch {
	case l == nil:
		r.tellOf(e, at)
	case e.Kind == observe.StepEnd:
		delete(r.steps, path)
		l.finish(e, at)
	default:
		tell(l.span, e, at)
	}
}

// leaveBehind ends the spans of steps that a flow.Linger has left behind, because there is no event of their end.
func (r *run) leaveBehind(at time.Time) {
	for _, l := range r.steps {
		l.link()
		l.span.SetAttributes(CancelledKey.Bool(true))
		l.span.End(trace.WithTimestamp(at))
	}
}

// tellOf adds an event of a step without a span to the span of the run. It leaves out waits, and the start and the end of the step.
func (r *run) tellOf(e observe.Event, at time.Time) {
	switch e.Kind {
	case observe.Raised, observe.TimedOut, observe.Handled, observe.GuardChanged:
		tell(r.span, e, at, StepPathKey.String(e.Path()))
	default:
	}
}

func tell(span trace.Span, e observe.Event, at time.Time, attrs ...attribute.KeyValue) {
	attrs = append(attrs, ofError(e.Err)...)
	if e.Kind == observe.Handled {
		attrs = append(attrs, OutcomeKey.String(e.Outcome.String()))
	}
	if e.Note != "" {
		attrs = append(attrs, GuardKey.String(valid(e.Note)))
	}
	span.AddEvent(eventName(e.Kind), trace.WithTimestamp(at), trace.WithAttributes(attrs...))
}

func eventName(k observe.Kind) string {
	switch k {
	case observe.Raised, observe.TimedOut:
		return "exception" // as the semantic conventions call it
	default:
		return "asyncsteps." + k.String()
	}
}

// end ends the span even if printing err panics.
func end(span trace.Span, err error, cancelled bool, at time.Time) {
	defer span.End(trace.WithTimestamp(at))
	switch {
	case err == nil:
	case cancelled:
		span.SetAttributes(CancelledKey.Bool(true))
	default:
		span.SetAttributes(errorType(err))
		span.SetStatus(codes.Error, valid(fault.InfoOf(err)))
	}
}
