package stream_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestBatchBySize(t *testing.T) {
	s := stream.Batch(stream.Slice[int](), stream.Batching{Size: 2})
	wantElements(t, s, plantest.Ints(5), []int{0, 1}, []int{2, 3}, []int{4})
	plantest.WantResult(t, stream.Count(s), nil, 0)
	plantest.WantResult(t, stream.Count(stream.Batch(stream.Slice[int](), stream.Batching{Size: 1000})), plantest.Ints(2001), 3)
}

func TestBatchByTime(t *testing.T) {
	// the elements come after 0, 1, 2, 5, 8 and 9 ms
	s := stream.Through(stream.Slice[int](), stream.Bound{Limit: 9}, delayByValue)
	var at []time.Duration
	l, run := plantest.Start(t, stream.Collect(stream.Batch(s, stream.Batching{Size: 3, Wait: 2 * time.Millisecond})), []int{0, 1, 2, 5, 8, 9})
	l.Run()
	got, err := run.Result()
	if diff := cmp.Diff([][]int{{0, 1, 2}, {5}, {8, 9}}, got); diff != "" || err != nil {
		t.Errorf("batches (-want +got), %v:\n%s", err, diff)
	}
	_ = at
	if l.Pending() != 0 {
		t.Errorf("%d callbacks are left", l.Pending())
	}
}

func TestBatchCancelled(t *testing.T) {
	var l letterRecorder
	s := stream.Catch(stream.Batch(stream.Through(stream.Slice[int](), stream.Bound{Limit: 9}, delayByValue), stream.Batching{Size: 9}), l.take)
	loop, run := plantest.Start(t, stream.Collect(s), []int{0, 1, 9})
	loop.Advance(2 * time.Millisecond)
	run.Cancel(nil)
	loop.Run()
	if _, err := run.Result(); err == nil {
		t.Error("not cancelled")
	}
	l.want(t, "0 Cancelled", "1 Cancelled", "9 Cancelled")
	if loop.Pending() != 0 {
		t.Errorf("%d callbacks are left", loop.Pending())
	}
}
