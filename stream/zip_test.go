package stream_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestZip(t *testing.T) {
	type pair = flow.Pair[int, int]
	s := stream.Zip(delayed(firsts), delayed(seconds))
	wantElements(t, s, []int{3, 3, 1, 4}, pair{A: 3, B: 1}, pair{A: 3, B: 4})
	all := stream.Zip(stream.Slice[int](), stream.Skip(stream.Map(stream.Slice[int](), double), 300))
	got, err := plantest.Run(t, stream.Collect(all), plantest.Ints(1000))
	if err != nil || len(got) != 700 || got[699] != (pair{A: 699, B: 1998}) {
		t.Error(len(got), err)
	}
	fails := stream.Zip(stream.Slice[int](), stream.Func(stream.Slice[int](), even))
	if _, err := plantest.Run(t, stream.Count(fails), plantest.Ints(3)); elementOf(t, err) != 1 {
		t.Errorf("got %v", err)
	}
}

func TestZipLoses(t *testing.T) {
	var l letterRecorder
	s := stream.Catch(stream.Zip(stream.Slice[int](), stream.Take(stream.Slice[int](), 1)), l.take)
	plantest.WantResult(t, stream.Count(s), plantest.Ints(3), 1)
	l.want(t, "1 Cancelled", "2 Cancelled")
}
