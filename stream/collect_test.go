package stream_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestCollectNothing(t *testing.T) {
	got, err := plantest.Run(t, stream.Collect(stream.Slice[int]()), nil)
	if len(got) != 0 || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}
