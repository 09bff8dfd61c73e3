package otel

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/futoin-go/asyncsteps/observe"
)

// progress reports the stages of a stream that has ended. Earlier Progress events are left out, because the number of events of a
// span is bounded.
func (r *run) progress(e observe.Event, at time.Time) {
	stages, last := e.Stages()
	if !last {
		return
	}
	path := e.Path()
	span, attrs := r.span, []attribute.KeyValue{StepPathKey.String(path)}
	if l := r.steps[path]; l != nil {
		span, attrs = l.span, nil
	}
	for _, s := range stages {
		span.AddEvent(eventName(e.Kind), trace.WithTimestamp(at), trace.WithAttributes(append(attrs, StageKey.String(valid(s.String())))...))
	}
}
