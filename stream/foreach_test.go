package stream_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestForEach(t *testing.T) {
	var seen []int
	each := stream.ForEach(stream.Slice[int](), func(v int) error { seen = append(seen, v); return nil })
	plantest.WantResult(t, each, plantest.Ints(300), 300)
	wantInts(t, seen, plantest.Ints(300)...)
	wantRefused(t, stream.ForEach(stream.Slice[int](), nil).Err(), "foreach: the function is nil")
}

func TestForEachFails(t *testing.T) {
	calls := 0
	each := stream.ForEach(stream.Slice[int](), func(v int) error {
		calls++
		_, err := even(v)
		return err
	})
	if _, err := plantest.Run(t, each, plantest.Ints(300)); elementOf(t, err) != 1 || calls != 2 {
		t.Errorf("%d calls, %v", calls, err)
	}
}
