package stream_test

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestInput(t *testing.T) {
	s := stream.Input(plantest.Ints, stream.Slice[int]())
	wantElements(t, s, 3, 0, 1, 2)
	if _, err := plantest.Run(t, stream.Count(stream.Input(func(n int) []int { return plantest.Ints(6 / n) }, stream.Slice[int]())), 0); !errors.Is(err, fault.InternalError) {
		t.Errorf("got %v", err)
	}
}
