package otel_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	global "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/otel"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// The run is a child of the span that it was started under, and a run that a step starts is a child of the run.
func TestParents(t *testing.T) {
	h := newHarness(t, otel.Options{RunsOnly: true})
	inner := flow.Named("inner", flow.Of(plantest.Named("", nil)))
	outer := flow.Named("outer", step.Func(func(as step.Scope, _ step.Unit) (step.Unit, error) {
		flow.Start(as.Context(), as.Loop(), inner, step.Unit{})
		return step.Unit{}, nil
	}))
	ctx, request := sdk.NewTracerProvider().Tracer("").Start(h.ctx, "request")
	flow.Start(ctx, h.loop, outer, step.Unit{})
	h.loop.Run()
	spans := h.spans.Ended()
	if len(spans) != 2 || spans[0].Name() != "outer" || spans[1].Name() != "inner" {
		t.Fatalf("spans: %q", tree(spans))
	}
	if spans[0].Parent().SpanID() != request.SpanContext().SpanID() || spans[1].Parent().SpanID() != spans[0].SpanContext().SpanID() {
		t.Errorf("spans: %q", tree(spans))
	}
	id := value(spans[0].Attributes(), otel.RunIDKey)
	if id == "" || id == value(spans[1].Attributes(), otel.RunIDKey) || id != value(spans[1].Attributes(), otel.RunParentKey) {
		t.Errorf("attributes: %v, %v", spans[0].Attributes(), spans[1].Attributes())
	}
	if value(spans[0].Attributes(), otel.RunParentKey) != "" {
		t.Error("a run that nobody has started has a parent")
	}
}

// A span that a body starts is a child of the run.
func TestContextOfSteps(t *testing.T) {
	h := newHarness(t, otel.Options{})
	_ = runPlan(h, flow.Named("call", step.Func(func(as step.Scope, _ step.Unit) (step.Unit, error) {
		_, span := trace.SpanFromContext(as.Context()).TracerProvider().Tracer("").Start(as.Context(), "GET /")
		span.End()
		return step.Unit{}, nil
	})))
	spans := h.spans.Ended()
	if len(spans) != 3 || spans[0].Name() != "GET /" || spans[0].Parent().SpanID() != h.spans.Started()[0].SpanContext().SpanID() {
		t.Errorf("spans: %q", tree(spans))
	}
}

func TestAttributes(t *testing.T) {
	h := newHarness(t, otel.Options{})
	_, file, line, _ := runtime.Caller(0)
	plan := flow.Named("a", step.Map(func(step.Unit) step.Unit { return step.Unit{} }))
	before := time.Now()
	_ = runPlan(h, plan)
	root, a := h.spans.Started()[0], h.spans.Started()[1]
	if root.StartTime().Before(before) || root.StartTime().After(time.Now()) {
		t.Errorf("the run has begun %v", root.StartTime())
	}
	if root.InstrumentationScope().Name != "github.com/futoin-go/asyncsteps/observe/otel" {
		t.Errorf("scope: %q", root.InstrumentationScope().Name)
	}
	for key, want := range map[attribute.Key]string{
		"asyncsteps.step.path": "0",
		"asyncsteps.step.kind": "map",
		"asyncsteps.step.name": "a",
		"code.file.path":       file,
		"code.line.number":     fmt.Sprint(line + 1),
		"code.function.name":   "github.com/futoin-go/asyncsteps/observe/otel_test.TestAttributes",
	} {
		if got := value(a.Attributes(), key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
		if got := value(root.Attributes(), key); strings.HasPrefix(string(key), "code.") && got != want {
			t.Errorf("of the run: %s is %q, want %q", key, got, want)
		}
	}
}

func TestPanicHasStack(t *testing.T) {
	h := newHarness(t, otel.Options{})
	_ = runPlan(h, flow.Named("p", step.Map(func(step.Unit) step.Unit { panic("oops") })))
	events := h.spans.Started()[1].Events()
	if len(events) != 1 || !strings.Contains(value(events[0].Attributes, "exception.stacktrace"), "TestPanicHasStack") {
		t.Errorf("events: %v", events)
	}
}

type ill struct{}

func (ill) Error() string { panic("no words") }

func TestErrorThatPanics(t *testing.T) {
	h := newHarness(t, otel.Options{})
	_ = runPlan(h, plantest.Named("a", ill{}))
	if began, ended := len(h.spans.Started()), len(h.spans.Ended()); began != 2 || ended != 2 {
		t.Errorf("%d spans have begun, %d have ended", began, ended)
	}
}

func TestNotSampled(t *testing.T) {
	asked := 0
	h := newHarness(t, otel.Options{}, sdk.WithSampler(counting{sdk.NeverSample(), &asked}))
	ctx, watch := otel.New(sdk.NewTracerProvider(sdk.WithSampler(sdk.NeverSample())), otel.Options{}).Start(t.Context(), observe.Run{})
	if watch != nil || !trace.SpanContextFromContext(ctx).IsValid() {
		t.Error("the run is watched, or its context has lost the trace")
	}
	_ = runPlan(h, flow.Then(plantest.Named("a", nil), plantest.Named("b", nil)))
	if asked != 1 {
		t.Errorf("the sampler was asked %d times", asked)
	}
}

type counting struct {
	sdk.Sampler

	asked *int
}

func (c counting) ShouldSample(p sdk.SamplingParameters) sdk.SamplingResult {
	*c.asked++
	return c.Sampler.ShouldSample(p)
}

func TestRefusedRun(t *testing.T) {
	h := newHarness(t, otel.Options{})
	h.loop.Host().Drain()
	_ = runPlan(h, flow.Named("a", plantest.Named("", nil)))
	h.wantSpans("a 0s-0s Error(InternalError, the run could not be started)")
}

func TestGlobalProvider(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	before := global.GetTracerProvider()
	defer global.SetTracerProvider(before)
	global.SetTracerProvider(sdk.NewTracerProvider(sdk.WithSpanProcessor(spans)))
	if _, err := flow.Run(observe.With(t.Context(), otel.New(nil, otel.Options{})), plantest.Named("a", nil), step.Unit{}); err != nil {
		t.Fatal(err)
	}
	if got := len(spans.Ended()); got != 2 {
		t.Errorf("%d spans", got)
	}
}

// Each span is ended, and the spans of a run are in one trace.
func TestEverySchedule(t *testing.T) {
	anyway := func(as step.Scope, _ error) step.Next[step.Unit] {
		return step.Into(as, plantest.Delay("again", time.Second), step.Unit{})
	}
	plan := flow.Catch(drop(flow.Par3(
		flow.Timeout(3*time.Second, flow.Then(plantest.Delay("", time.Second), plantest.Delay("", 4*time.Second))),
		drop(flow.Par2(plantest.Delay("", time.Second), flow.Then(plantest.Delay("", 2*time.Second), plantest.Named("", errors.New("plain"))))),
		plantest.Delay("", time.Minute),
	)), anyway)
	for seed := range uint64(200) {
		h := newHarness(t, otel.Options{})
		h.loop = tooltest.New(tooltest.WithSeed(seed))
		one, two := flow.Start(h.ctx, h.loop, plan, step.Unit{}), flow.Start(h.ctx, h.loop, plan, step.Unit{})
		for range seed % 40 {
			h.loop.Step()
		}
		two.Cancel(errBad)
		h.loop.Run()
		if _, err := one.Result(); err != nil {
			t.Fatal(err)
		}
		traces := make(map[trace.TraceID]bool)
		for _, s := range h.spans.Ended() {
			traces[s.SpanContext().TraceID()] = true
		}
		if began, ended := len(h.spans.Started()), len(h.spans.Ended()); began != ended || len(traces) != 2 || len(h.loop.Errors()) > 0 {
			t.Fatalf("seed %d: %d spans have begun, %d have ended, in %d traces; errors %v", seed, began, ended, len(traces), h.loop.Errors())
		}
	}
}
