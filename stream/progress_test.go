package stream_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestMeasure(t *testing.T) {
	var p, all stream.Progress
	var l letterRecorder
	s := stream.Measure(stream.Catch(stream.Func(stream.Slice[int](), even), l.take), &p)
	plantest.WantResult(t, stream.Count(stream.Measure(s, &all)), plantest.Ints(601), 301)
	want := stream.Counts{In: 601, Out: 301, Dead: 300}
	if diff := cmp.Diff(want, p.Counts()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(p.Counts(), all.Counts()); diff != "" {
		t.Errorf("the outer one (-want +got)\n%s", diff)
	}
}

func TestMeasureOfAStreamThatFails(t *testing.T) {
	var p stream.Progress
	s := stream.Measure(stream.Func(stream.Slice[int](), even), &p)
	if _, err := plantest.Run(t, stream.Count(s), []int{2, 4, 5, 6, 8, 9, 10}); err == nil {
		t.Fatal("no error")
	}
	want := stream.Counts{In: 7, Out: 2, Failed: 1, Lost: 4}
	if diff := cmp.Diff(want, p.Counts()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
