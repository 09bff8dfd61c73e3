package stream_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestThrottle(t *testing.T) {
	var at []int64
	l := tooltest.New()
	s := stream.Throttle(stream.Slice[int](), 2, 10*time.Millisecond)
	run := flow.Start(t.Context(), l, stream.ForEach(s, func(int) error { at = append(at, l.Now().Milliseconds()); return nil }), plantest.Ints(5))
	l.Run()
	if n, err := run.Result(); n != 5 || err != nil {
		t.Error(n, err)
	}
	for i, want := range []int64{0, 0, 10, 10, 20} {
		if at[i] != want {
			t.Errorf("element %d came after %d ms, want %d", i, at[i], want)
		}
	}
	if l.Pending() != 0 {
		t.Errorf("%d callbacks are left", l.Pending())
	}
}

// A period that would end beyond the largest Duration doesn't end.
func TestThrottleForever(t *testing.T) {
	l := tooltest.New()
	l.Advance(time.Hour)
	run := flow.Start(t.Context(), l, stream.Collect(stream.Throttle(stream.Slice[int](), 1, math.MaxInt64)), plantest.Ints(5))
	l.Advance(time.Hour)
	if got, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
		t.Error(got, err)
	}
	run.Cancel(nil)
	l.Run()
}

func TestThrottleCancelled(t *testing.T) {
	l, run := plantest.Start(t, stream.Count(stream.Throttle(stream.Slice[int](), 1, time.Hour)), plantest.Ints(5))
	l.Advance(time.Second)
	run.Cancel(nil)
	l.Advance(time.Second)
	if _, err := run.Result(); !errors.Is(err, fault.Cancelled) || l.Pending() != 0 {
		t.Errorf("%v, %d callbacks are left", err, l.Pending())
	}
}
