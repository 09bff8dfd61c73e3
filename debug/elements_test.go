package debug_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

func streamsOf(h *harness, id uint64) (lines []string) {
	h.Helper()
	var v struct {
		Streams []struct {
			Path, Label string
			At          float64
			Ended       bool
			More        int
			Stages      []struct {
				Label, Kind                       string
				In, Out, Dead, Failed, Lost, Held int
				Rate                              float64
			}
		}
	}
	h.into(fmt.Sprintf("run.json?id=%d", id), &v)
	for _, s := range v.Streams {
		lines = append(lines, fmt.Sprintf("%s %s at %v, ended %v, %d more", s.Path, s.Label, s.At, s.Ended, s.More))
		for _, x := range s.Stages {
			lines = append(lines, fmt.Sprintf("  %+v", x))
		}
	}
	return lines
}

// Elements are marked at the step where they stand, or at their stream if several steps may be that one.
func TestElementsAreMarked(t *testing.T) {
	h := newHarness(t, debug.Options{})
	photos := stream.Input(func(step.Unit) []step.Unit { return make([]step.Unit, 9) }, stream.Slice[step.Unit]())
	small := stream.Through(photos, stream.Bound{Limit: 3, Buffer: 2}, flow.Then(plantest.Named("open", nil), plantest.Delay("resize", time.Second)))
	start(h, flow.Named("album", stream.Count(stream.Through(small, stream.Bound{Limit: 2}, plantest.Delay("upload", time.Minute)))))
	h.loop.Advance(1500 * time.Millisecond)
	want := []string{"▶ new resize 0/1/through.N/1 2 times, up to 500ms", "▶ new upload 0/2/through.N/0 2 times, up to 500ms"}
	if diff := cmp.Diff(want, marks(h)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	nap := plantest.Delay("nap", time.Minute)
	start(h, flow.Named("twice", stream.Count(stream.Through(stream.Through(photos, stream.Bound{Limit: 1}, nap), stream.Bound{Limit: 1}, nap))))
	if got := marks(h); !strings.Contains(strings.Join(got, "\n"), "count twice 0 suspended") {
		t.Errorf("in one of two steps that are equal: %q", got)
	}
}

func hang(as step.Scope, _ step.Unit) step.Next[step.Unit] {
	return step.Wait(as, func(step.Done[step.Unit]) {})
}

// A step without a name is found by the function that it calls.
func TestStreamAtAStepWithoutAName(t *testing.T) {
	h := newHarness(t, debug.Options{})
	photos := stream.Input(func(step.Unit) []step.Unit { return make([]step.Unit, 9) }, stream.Slice[step.Unit]())
	start(h, flow.Named("album", stream.Count(stream.Through(photos, stream.Bound{Limit: 3}, flow.Then(plantest.Named("open", nil), step.New(hang))))))
	h.loop.Advance(time.Second)
	if got := marks(h); len(got) != 1 || !strings.HasPrefix(got[0], "▶ new ") || !strings.HasSuffix(got[0], "hang 0/1/through.N/1 3 times, up to 1s") {
		t.Errorf("got %q", got)
	}
}

// The streams are shown while they go on and afterwards.
func TestStreams(t *testing.T) {
	h := newHarness(t, debug.Options{})
	numbers := stream.Input(func(step.Unit) []int { return []int{1, 2, 3, 4} }, stream.Slice[int]())
	nap := flow.Then(step.Delay[int](60*time.Millisecond), step.Func(func(_ step.Scope, v int) (int, error) {
		if v == 1 {
			return 0, errBad
		}
		return v, nil
	}))
	s := stream.Catch(stream.Named("<nap>", stream.Through(numbers, stream.Bound{Limit: 1, Buffer: 1}, nap)), func(error) error { return nil })
	running := start(h, flow.Named("import", stream.Count(s)))
	id := h.data("").Live[0].ID
	if got := streamsOf(h, id); got != nil {
		t.Errorf("before anything is told: %q", got)
	}
	h.loop.Advance(125 * time.Millisecond)
	want := []string{
		"0 import at 0.1, ended false, 0 more",
		"  {Label:slice.0 Kind:slice In:0 Out:3 Dead:0 Failed:0 Lost:0 Held:0 Rate:30}",
		"  {Label:<nap> Kind:through In:3 Out:0 Dead:1 Failed:0 Lost:0 Held:2 Rate:0}",
		"  {Label:catch.2 Kind:catch In:0 Out:0 Dead:0 Failed:0 Lost:0 Held:0 Rate:0}",
		"  {Label:count.3 Kind:count In:0 Out:0 Dead:0 Failed:0 Lost:0 Held:0 Rate:0}",
	}
	if diff := cmp.Diff(want, streamsOf(h, id)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, part := range []string{`<bdi>import</bdi>`, `&lt;nap&gt;</bdi> <span class="soft">through</span>`, `data-of="Held">2<`, `<span class="bad">1</span>`, "at 100ms"} {
		if page := h.html(fmt.Sprintf("run?id=%d", id)); !strings.Contains(page, part) {
			t.Errorf("the page hasn't %s", part)
		}
	}
	running.Cancel(nil)
	h.loop.Advance(0)
	want = []string{
		"0 import at 0.125, ended true, 0 more",
		"  {Label:slice.0 Kind:slice In:0 Out:4 Dead:0 Failed:0 Lost:0 Held:0 Rate:32}",
		"  {Label:<nap> Kind:through In:4 Out:1 Dead:1 Failed:0 Lost:2 Held:0 Rate:8}",
		"  {Label:catch.2 Kind:catch In:1 Out:1 Dead:0 Failed:0 Lost:0 Held:0 Rate:8}",
		"  {Label:count.3 Kind:count In:1 Out:0 Dead:0 Failed:0 Lost:0 Held:0 Rate:8}",
	}
	if diff := cmp.Diff(want, streamsOf(h, id)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if page := h.html(fmt.Sprintf("run?id=%d", id)); !strings.Contains(page, "in the end, after 125ms") {
		t.Error("the page doesn't say that the stream has ended")
	}
}

func TestManyStreams(t *testing.T) {
	h := newHarness(t, debug.Options{})
	s := stream.Input(func(step.Unit) []int { return []int{1} }, stream.Slice[int]())
	for range 150 {
		s = stream.Map(s, func(v int) int { return v })
	}
	one := flow.Then(stream.Count(s), step.Map(func(int) step.Unit { return step.Unit{} }))
	all := make([]step.Step[step.Unit, step.Unit], 30)
	for i := range all {
		all[i] = one
	}
	again := loopx.Repeat(3, flow.Then(step.Map(func(loopx.Iteration[step.Unit]) step.Unit { return step.Unit{} }), one))
	start(h, flow.Then(again, flow.Chain(all...)))
	v := streamsOf(h, h.data("").Ended[0].ID)
	if n := len(v); n != 20*101 || !strings.Contains(v[0], "true, 52 more") || !strings.Contains(v[n-1], "count.151") {
		t.Errorf("%d lines; first %s, last %s", n, v[0], v[n-1])
	}
	if w := h.request(http.MethodGet, "run.json?id=1", nil); w.Code == http.StatusInternalServerError {
		t.Error(w.Body)
	}
}

// The steps of the elements are one row of the timeline, and one of the page of steps.
func TestElementsAreFolded(t *testing.T) {
	h := newHarness(t, debug.Options{Spans: 10_000})
	elements := stream.Input(func(step.Unit) []step.Unit { return make([]step.Unit, 300) }, stream.Slice[step.Unit]())
	each := flow.Named("each", flow.Then(plantest.Delay("first", time.Second), plantest.Delay("second", time.Second)))
	start(h, flow.Named("all", stream.Count(stream.Through(elements, stream.Bound{Limit: 3}, each))))
	h.loop.Advance(time.Hour)
	var v struct {
		Found int
		Steps []struct {
			Path, Label string
			Good        int
		}
	}
	if h.into("steps?step=first", &v); v.Found != 1 || v.Steps[0].Good != 300 {
		t.Errorf("on the page of steps: %+v", v)
	}
	page := h.html(fmt.Sprintf("run?id=%d", h.data("index").Ended[0].ID))
	if n := strings.Count(page, `<bdi>first</bdi></a>`); n != 1 || !strings.Contains(page, "×300") {
		t.Errorf("the timeline has %d rows", n)
	}
}
