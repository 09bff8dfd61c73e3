package debug_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

// A steady stage has a steady rate, though most of the events come while it gives nothing.
func TestRatesOfStreams(t *testing.T) {
	h := newHarness(t, debug.Options{})
	numbers := stream.Input(func(step.Unit) []int { return make([]int, 250) }, stream.Slice[int]())
	every := func(name string, d time.Duration) stream.Stream[step.Unit, int] {
		return stream.Named(name, stream.Through(numbers, stream.Bound{Limit: 1}, step.Delay[int](d)))
	}
	running := start(h, flow.Named("import", stream.Count(stream.Merge(every("quick", 100*time.Millisecond), every("slow", 400*time.Millisecond)))))
	id := h.data("").Live[0].ID
	rates := func() map[string]float64 {
		var v struct {
			Streams []struct {
				Stages []struct {
					Label string
					Rate  float64
				}
			}
		}
		h.into(fmt.Sprintf("run.json?id=%d", id), &v)
		all := make(map[string]float64)
		for _, s := range v.Streams[0].Stages {
			all[s.Label] = s.Rate
		}
		return all
	}
	h.loop.Advance(3 * time.Second)
	for range 50 {
		got := rates()
		for label, want := range map[string]float64{"quick": 10, "slow": 2.5, "count.5": 12.5} {
			if rate := got[label]; rate < 0.85*want || rate > 1.15*want {
				t.Fatalf("after %v %s gives %.3g elements a second, want %v; all: %v", h.loop.Now(), label, rate, want, got)
			}
		}
		h.loop.Advance(230 * time.Millisecond)
	}
	running.Cancel(nil)
	h.loop.Run()
}

func TestRateWithoutExponent(t *testing.T) {
	h := newHarness(t, debug.Options{})
	numbers := stream.Input(func(step.Unit) []int { return make([]int, 10_000) }, stream.Slice[int]())
	start(h, stream.Count(stream.Through(numbers, stream.Bound{Limit: 5000}, step.Delay[int](time.Millisecond))))
	id := h.data("").Live[0].ID
	h.loop.Run()
	if page := h.html(fmt.Sprintf("run?id=%d", id)); !strings.Contains(page, `data-of="A second">5000000<`) {
		t.Error(page)
	}
}
