package otel_test

import (
	"log/slog"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/otel"
	"github.com/futoin-go/asyncsteps/step"
)

// A sampler sees the caller's attributes.
func TestAttributesOfRuns(t *testing.T) {
	var sampled []attribute.KeyValue
	h := newHarness(t, otel.Options{}, sdk.WithSampler(sampler(func(p sdk.SamplingParameters) { sampled = append(sampled, p.Attributes...) })))
	h.ctx = observe.WithAttrs(h.ctx, slog.String("order", "A-17"), slog.Duration("limit", time.Second), slog.Bool("gift", true))
	_ = runPlan(h, flow.Named("run", flow.Of(step.Func(func(as step.Scope, _ step.Unit) (step.Unit, error) {
		observe.SetAttrs(as.Context(), slog.Float64("sum", 1.5), slog.String("order", "A-18"),
			slog.Group("item", slog.Int("count", 3), slog.Group("size", slog.Uint64("x", 4))))
		return step.Unit{}, nil
	}))))
	for _, s := range h.spans.Ended() {
		if s.Parent().IsValid() {
			continue
		}
		for key, want := range map[attribute.Key]string{
			"order": "A-18", "limit": "1s", "gift": "true", "sum": "1.5", "item.count": "3", "item.size.x": "4",
		} {
			if got := value(s.Attributes(), key); got != want {
				t.Errorf("%s is %q, want %q", key, got, want)
			}
		}
	}
	if got := value(sampled, "order"); got != "A-17" {
		t.Errorf("the sampler saw the order %q", got)
	}
}

type sampler func(sdk.SamplingParameters)

func (s sampler) ShouldSample(p sdk.SamplingParameters) sdk.SamplingResult {
	s(p)
	return sdk.SamplingResult{Decision: sdk.RecordAndSample}
}

func (sampler) Description() string { return "all" }
