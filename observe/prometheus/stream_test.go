package prometheus_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

// naps returns a plan of a stream whose elements take 60 ms each and fail if odd.
func naps() flow.Plan[step.Unit, int] {
	numbers := stream.Input(func(step.Unit) []int { return []int{1, 2, 3, 4} }, stream.Slice[int]())
	naps := flow.Then(step.Delay[int](60*time.Millisecond), step.Func(func(_ step.Scope, v int) (int, error) {
		if v%2 != 0 {
			return 0, errBad
		}
		return v, nil
	}))
	s := stream.Named("nap", stream.Through(numbers, stream.Bound{Limit: 1, Buffer: 1}, naps))
	return flow.Named("naps", stream.Count(stream.Catch(s, func(error) error { return nil })))
}

// The counts of two streams of one plan are added up.
func TestStreams(t *testing.T) {
	h := newHarness(t)
	start(h, naps())
	h.loop.Advance(50 * time.Millisecond)
	cancelled := start(h, naps())
	h.loop.Advance(50 * time.Millisecond) // 100 ms after the first one began
	h.wantSamples("stream_held", `stream_held{plan="naps",stage="catch.2"} 0`, `stream_held{plan="naps",stage="count.3"} 0`,
		`stream_held{plan="naps",stage="nap"} 2`, `stream_held{plan="naps",stage="slice.0"} 0`)
	h.loop.Advance(50 * time.Millisecond)
	h.wantSamples("stream_held", `stream_held{plan="naps",stage="catch.2"} 0`, `stream_held{plan="naps",stage="count.3"} 0`,
		`stream_held{plan="naps",stage="nap"} 4`, `stream_held{plan="naps",stage="slice.0"} 0`)
	cancelled.Cancel(nil)
	h.loop.Run()
	h.wantSamples("stream_held stream_elements_total",
		`stream_elements_total{fate="dead",plan="naps",stage="nap"} 3`,
		`stream_elements_total{fate="in",plan="naps",stage="catch.2"} 2`,
		`stream_elements_total{fate="in",plan="naps",stage="count.3"} 2`,
		`stream_elements_total{fate="in",plan="naps",stage="nap"} 7`,
		`stream_elements_total{fate="lost",plan="naps",stage="nap"} 2`,
		`stream_elements_total{fate="out",plan="naps",stage="catch.2"} 2`,
		`stream_elements_total{fate="out",plan="naps",stage="nap"} 2`,
		`stream_elements_total{fate="out",plan="naps",stage="slice.0"} 7`,
		`stream_held{plan="naps",stage="catch.2"} 0`, `stream_held{plan="naps",stage="count.3"} 0`,
		`stream_held{plan="naps",stage="nap"} 0`, `stream_held{plan="naps",stage="slice.0"} 0`)
}
