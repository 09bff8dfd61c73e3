package stream_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestTicks(t *testing.T) {
	type tick = flow.Pair[time.Time, int]
	s := stream.Zip(stream.Ticks[[]int](10*time.Millisecond), stream.Slice[int]())
	l, run := plantest.Start(t, stream.Collect(s), plantest.Ints(3))
	start := l.Host().Time(0)
	l.Run()
	got, err := run.Result()
	want := []tick{{A: start.Add(10 * time.Millisecond)}, {A: start.Add(20 * time.Millisecond), B: 1}, {A: start.Add(30 * time.Millisecond), B: 2}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got): %v\n%s", err, diff)
	}
	if l.Pending() != 0 {
		t.Errorf("%d callbacks are left", l.Pending())
	}
}

// If the loop is late, one tick stands for all that have passed.
func TestTicksAreLeftOut(t *testing.T) {
	l, run := plantest.Start(t, stream.Count(stream.Take(stream.Ticks[int](10*time.Millisecond), 3)), 0)
	l.Advance(10 * time.Millisecond)
	l.Lag(35 * time.Millisecond)
	l.Run()
	if n, err := run.Result(); n != 3 || err != nil || l.Now() != 50*time.Millisecond {
		t.Error(n, err, l.Now())
	}
}

// A tick beyond the largest Duration doesn't come.
func TestTicksForever(t *testing.T) {
	l := tooltest.New()
	l.Advance(time.Hour)
	run := flow.Start(t.Context(), l, stream.Count(stream.Take(stream.Ticks[int](math.MaxInt64), 1)), 0)
	l.Advance(time.Hour)
	if n, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
		t.Error(n, err)
	}
	run.Cancel(nil)
	l.Run()
}
