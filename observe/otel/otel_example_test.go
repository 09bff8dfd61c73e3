package otel_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/otel"
	"github.com/futoin-go/asyncsteps/step"
)

// A price that doesn't come in time is replaced; the trace shows the timeout.
func ExampleNew() {
	exporter := tracetest.NewInMemoryExporter() // a program has an exporter that sends the spans
	provider := sdk.NewTracerProvider(sdk.WithSyncer(exporter))

	ask := step.Await(func(ctx context.Context, _ string) (int, error) {
		<-ctx.Done() // never answers
		return 0, ctx.Err()
	})
	price := flow.Catch(flow.Timeout(time.Millisecond, flow.Named("ask", ask)), func(step.Scope, error) step.Next[int] {
		return step.Succeed(100)
	})
	plan := flow.Named("quote", flow.Then(flow.Named("price", price), flow.Named("add tax", step.Map(func(n int) int { return n + n/5 }))))

	ctx := observe.With(context.Background(), otel.New(provider, otel.Options{}))
	fmt.Println(flow.Run(ctx, plan, "teapot"))

	spans := exporter.GetSpans()
	slices.SortStableFunc(spans, func(a, b tracetest.SpanStub) int { return cmp.Compare(pathOf(a), pathOf(b)) })
	for _, s := range spans {
		fmt.Printf("%-6s %s\n", pathOf(s), s.Name)
		for _, e := range s.Events {
			fmt.Printf("       ! %s\n", e.Name)
		}
	}
	// Output:
	// 120 <nil>
	//        quote
	// 0      quote
	// 0/0    price
	//        ! exception
	//        ! asyncsteps.handled
	// 0/0/0  ask
	//        ! asyncsteps.suspended
	// 0/1    add tax
}

func pathOf(s tracetest.SpanStub) string {
	for _, a := range s.Attributes {
		if a.Key == otel.StepPathKey {
			return a.Value.AsString()
		}
	}
	return ""
}
