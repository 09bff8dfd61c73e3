package otel_test

import (
	"context"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/otel"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestConcurrently(t *testing.T) {
	loops := tool.NewGroup(3, tool.Options{})
	spans := tracetest.NewSpanRecorder()
	ctx := observe.With(context.Background(), otel.New(sdk.NewTracerProvider(sdk.WithSpanProcessor(spans)), otel.Options{}))
	await := step.Await(func(ctx context.Context, _ step.Unit) (step.Unit, error) { return step.Unit{}, ctx.Err() })
	plan := drop(flow.Par3(plantest.Delay("", time.Microsecond), await, flow.Then(plantest.Delay("", time.Millisecond), plantest.Named("", errBad))))
	for i := range 300 {
		r := flow.Start(ctx, loops.Next(), plan, step.Unit{})
		if i%3 == 0 {
			r.Cancel(nil)
		}
		if i%50 == 0 {
			<-r.Done()
		}
	}
	if err := loops.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if began, ended := len(spans.Started()), len(spans.Ended()); began != ended || began < 300 {
		t.Errorf("%d spans have begun, %d have ended", began, ended)
	}
}
