package otel_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe/otel"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestProgress(t *testing.T) {
	numbers := stream.Input(func(step.Unit) []int { return []int{1, 2, 3} }, stream.Slice[int]())
	slow := stream.Named("nap", stream.Through(numbers, stream.Bound{Limit: 1}, step.Delay[int](100*time.Millisecond)))
	plan := flow.Named("naps", stream.Count(slow))
	h := newHarness(t, otel.Options{RunsOnly: true})
	if err := runPlan(h, plan); err != nil {
		t.Fatal(err)
	}
	h.wantSpans("naps 0s-300ms",
		"  ! 300ms asyncsteps.progress 0 slice.0: out 3, 10/s",
		"  ! 300ms asyncsteps.progress 0 nap: in 3, out 3, 10/s",
		"  ! 300ms asyncsteps.progress 0 count.2: in 3, 10/s",
	)
	h = newHarness(t, otel.Options{})
	if err := runPlan(h, plan); err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, s := range h.spans.Ended() {
		for _, e := range s.Events() {
			if e.Name == "asyncsteps.progress" {
				told++
				if path := value(s.Attributes(), otel.StepPathKey); path != "0" || s.Name() != "naps" {
					t.Errorf("it is told by the span %s of %q", s.Name(), path)
				}
			}
		}
	}
	if told != 3 {
		t.Errorf("there are %d events of 3 stages", told)
	}
}
