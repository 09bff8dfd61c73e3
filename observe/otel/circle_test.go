package otel_test

import (
	"slices"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/otel"
	"github.com/futoin-go/asyncsteps/step"
)

// circle is an error that wraps itself, so that errors.Is doesn't return.
type circle struct{}

func (circle) Error() string   { return "a circle" }
func (c circle) Unwrap() error { return c }

func TestSpansOfAnErrorThatWrapsItself(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	ctx := observe.With(t.Context(), otel.New(provider, otel.Options{}))
	if _, err := flow.Run(ctx, plantest.Named("loops", circle{}), step.Unit{}); err == nil {
		t.Error("no error")
	}
	if spans := exporter.GetSpans(); !slices.ContainsFunc(spans, func(s tracetest.SpanStub) bool { return len(s.Events) > 0 }) {
		t.Errorf("no span has the error: %v", spans)
	}
}
