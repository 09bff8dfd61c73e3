package otel_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/otel"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var errBad = fault.New("Bad", "bad luck")

type harness struct {
	*testing.T

	loop  *tooltest.Loop
	spans *tracetest.SpanRecorder
	ctx   context.Context
}

func newHarness(t *testing.T, o otel.Options, more ...sdk.TracerProviderOption) *harness {
	spans := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(append(more, sdk.WithSpanProcessor(spans))...)
	return &harness{t, tooltest.New(), spans, observe.With(t.Context(), otel.New(provider, o))}
}

// runPlan runs s to its end and calls during when the run has begun.
func runPlan[Out any](h *harness, s step.Step[step.Unit, Out], during ...func(*flow.Running[Out])) error {
	h.Helper()
	run := flow.Start(h.ctx, h.loop, s, step.Unit{})
	for _, do := range during {
		h.loop.Advance(0)
		do(run)
	}
	h.loop.Run()
	if errs := h.loop.Errors(); len(errs) > 0 {
		h.Errorf("the loop was told of %v", errs)
	}
	_, err := run.Result()
	if errors.Is(err, flow.ErrRunning) {
		h.Fatal("the loop is idle and the run hasn't ended")
	}
	return err
}

// wantSpans compares the ended spans with want, and fails if one hasn't ended.
func (h *harness) wantSpans(want ...string) {
	h.Helper()
	if began, ended := len(h.spans.Started()), len(h.spans.Ended()); began != ended {
		h.Errorf("%d spans have begun, %d have ended", began, ended)
	}
	if diff := gocmp.Diff(want, tree(h.spans.Ended())); diff != "" {
		h.Errorf("spans (-want +got):\n%s", diff)
	}
}

// tree returns a line for each span and its events, indented below the parent span. Times count from the start of the first
// span.
func tree(spans []sdk.ReadOnlySpan) []string {
	held := make(map[trace.SpanID][]sdk.ReadOnlySpan)
	known := make(map[trace.SpanID]sdk.ReadOnlySpan)
	for _, s := range spans {
		known[s.SpanContext().SpanID()] = s
	}
	var roots []sdk.ReadOnlySpan
	for _, s := range spans {
		if parent := s.Parent().SpanID(); known[parent] != nil {
			held[parent] = append(held[parent], s)
		} else {
			roots = append(roots, s)
		}
	}
	var lines []string
	var draw func(margin string, all []sdk.ReadOnlySpan)
	draw = func(margin string, all []sdk.ReadOnlySpan) {
		slices.SortStableFunc(all, func(a, b sdk.ReadOnlySpan) int {
			return cmp.Or(a.StartTime().Compare(b.StartTime()), cmp.Compare(value(a.Attributes(), otel.StepPathKey), value(b.Attributes(), otel.StepPathKey)))
		})
		for _, s := range all {
			zero := roots[0].StartTime()
			lines = append(lines, margin+line(s, zero, known))
			for _, e := range s.Events() {
				lines = append(lines, fmt.Sprintf("%s  ! %v %s%s", margin, e.Time.Sub(zero), e.Name, words(e.Attributes)))
			}
			draw(margin+"  ", held[s.SpanContext().SpanID()])
		}
	}
	draw("", roots)
	return lines
}

// line returns the text of one span: "0 both 0s-1s Error(Bad, bad luck) <- par.0=slow".
func line(s sdk.ReadOnlySpan, zero time.Time, known map[trace.SpanID]sdk.ReadOnlySpan) string {
	parts := []string{title(s), fmt.Sprintf("%v-%v", s.StartTime().Sub(zero), s.EndTime().Sub(zero))}
	if path := value(s.Attributes(), otel.StepPathKey); path != "" {
		parts = slices.Insert(parts, 0, path)
	}
	if status := s.Status(); status.Code != codes.Unset {
		parts = append(parts, fmt.Sprintf("%v(%s, %s)", status.Code, value(s.Attributes(), "error.type"), status.Description))
	}
	if value(s.Attributes(), otel.CancelledKey) != "" {
		parts = append(parts, "cancelled")
	}
	for _, l := range s.Links() {
		parts = append(parts, fmt.Sprintf("<- %s=%s", value(l.Attributes, otel.BranchKey), title(known[l.SpanContext.SpanID()])))
	}
	return strings.Join(parts, " ")
}

// title returns the name of a span; if that is the name of a closure, the kind of the step.
func title(s sdk.ReadOnlySpan) string {
	if closureLine.MatchString(s.Name()) {
		return value(s.Attributes(), otel.StepKindKey)
	}
	return s.Name()
}

var closureLine = regexp.MustCompile(`:\d+$`)

func words(attrs []attribute.KeyValue) (all string) {
	for _, a := range attrs {
		if a.Key != "exception.stacktrace" {
			all += " " + a.Value.String()
		}
	}
	return all
}

func value(attrs []attribute.KeyValue, key attribute.Key) string {
	for _, a := range attrs {
		if a.Key == key {
			return a.Value.String()
		}
	}
	return ""
}

func drop[Out any](s step.Step[step.Unit, Out]) step.Step[step.Unit, step.Unit] {
	return flow.Then(s, step.Map(func(Out) step.Unit { return step.Unit{} }))
}
