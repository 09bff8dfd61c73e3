package otel_test

import (
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe/otel"
	"github.com/futoin-go/asyncsteps/step"
)

func nested(n int, s step.Step[step.Unit, step.Unit]) step.Step[step.Unit, step.Unit] {
	for range n {
		s = flow.Call(s)
	}
	return s
}

// The error of a step that is too deep for a span is the status of the spans that it passes, and an event of the run.
func TestErrorFromTheDeep(t *testing.T) {
	h := newHarness(t, otel.Options{})
	_ = runPlan(h, nested(100, plantest.Named("deep", errBad)))
	spans := h.spans.Ended()
	if len(spans) != 1+64 {
		t.Fatalf("%d spans", len(spans))
	}
	for _, s := range spans {
		if s.Status().Code != codes.Error {
			t.Errorf("%v has the status %v", s.Attributes(), s.Status())
		}
	}
	events := h.spans.Started()[0].Events()
	if len(events) != 1 || events[0].Name != "exception" || value(events[0].Attributes, otel.StepPathKey) == "" {
		t.Errorf("events of the run: %v", events)
	}
}

func TestSixtyFourLevels(t *testing.T) {
	h := newHarness(t, otel.Options{})
	_ = runPlan(h, nested(63, plantest.Named("last", nil)))
	if spans := h.spans.Ended(); len(spans) != 1+64 || spans[0].Name() != "last" {
		t.Errorf("%d spans", len(spans))
	}
}

func TestManyBranches(t *testing.T) {
	branches := make([]step.Step[step.Unit, step.Unit], 1000)
	for i := range branches {
		branches[i] = plantest.Delay("", time.Duration(1+i)*time.Second)
	}
	h := newHarness(t, otel.Options{})
	_ = runPlan(h, flow.Named("all", drop(flow.Par(branches...))))
	for _, s := range h.spans.Ended() {
		if s.Name() != "par" {
			continue
		}
		links := s.Links()
		if len(links) != 128 || s.DroppedLinks() != 0 {
			t.Fatalf("%d links, %d dropped", len(links), s.DroppedLinks())
		}
		for i, l := range links {
			if got, want := value(l.Attributes, otel.BranchKey), fmt.Sprintf("par.%d", 1000-128+i); got != want {
				t.Errorf("link %d is to %s, want %s", i, got, want)
			}
		}
		return
	}
	t.Error("there is no span of the parallel step")
}
