package stream_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

// A stream that waits for its next element takes no more memory than docs/guide/streams.md says, however many have passed.
func TestMemoryOfAnIdleStream(t *testing.T) {
	ticks := stream.Ticks[<-chan int](time.Hour)
	hour := func(at time.Time) int { return at.Hour() }
	for name, tt := range map[string]struct {
		plan   step.Step[<-chan int, int]
		atMost int64
	}{
		"Ticks":                 {stream.Count(ticks), 3 << 10},
		"Ticks, Map and Filter": {stream.Count(stream.Filter(stream.Map(ticks, hour), func(h int) bool { return h > 8 })), 4 << 10},
		"Ticks and Through":     {stream.Count(stream.Through(ticks, stream.Bound{Limit: 8, Buffer: 64}, step.Delay[time.Time](time.Second))), 14 << 10},
		"Chan":                  {stream.Count(stream.Chan[int](16)), 12 << 10},
	} {
		loop, in := plantest.NewLoop(t), make(chan int)
		runs := make([]*flow.Running[int], 200)
		start := func(runs []*flow.Running[int]) {
			for i := range runs {
				runs[i] = flow.Start(t.Context(), loop, tt.plan, (<-chan int)(in))
			}
			loop.Advance(100*time.Hour + time.Minute)
		}
		start(runs[:1])
		before := inUse()
		start(runs[1:])
		got := (inUse() - before) / int64(len(runs)-1)
		t.Logf("%s: %d bytes", name, got)
		if got > tt.atMost {
			t.Errorf("%s: %d bytes for each stream, want %d at most", name, got, tt.atMost)
		}
		close(in)
		ended := 0
		for _, run := range runs {
			run.Then(func(int, error) { ended++ })
			run.Cancel(nil)
		}
		for ended < len(runs) { // no time passes: the goroutines of Chan are about to return
			loop.Advance(0)
			runtime.Gosched()
		}
	}
}

// inUse returns the size of the live heap and of the stacks.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // the second collection empties the pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
