package observe_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/timeline"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

func naps() stream.Stream[[]int, int] {
	return stream.Named("nap", stream.Through(stream.Slice[int](), stream.Bound{Limit: 1}, step.Delay[int](60*time.Millisecond)))
}

func TestLogOfProgress(t *testing.T) {
	var out bytes.Buffer
	runPlan(t, observe.Log(written(&out), slog.LevelInfo), stream.Count(naps()), []int{1, 2, 3})
	var got []string
	for line := range strings.Lines(out.String()) {
		if at := strings.Index(line, "at="); at >= 0 && strings.Contains(line, "msg=progress") {
			got = append(got, strings.TrimSpace(line[at:]))
		}
	}
	want := []string{
		"at=100ms step=count path=0 stages.slice.0.out=2 stages.slice.0.rate=20 stages.nap.in=2 stages.nap.out=1 stages.nap.held=1 stages.nap.rate=10 stages.count.2.in=1 stages.count.2.rate=10",
	}
	if diff := cmp.Diff(want, got[:min(1, len(got))]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n := len(got); n == 0 || !strings.HasSuffix(got[n-1], " last=true") || strings.Count(out.String(), "last=true") != 1 {
		t.Errorf("the last line is not marked:\n%s", out.String())
	}
}

func TestRecorderOfProgress(t *testing.T) {
	r := observe.NewRecorder(1000)
	runPlan(t, r, stream.Count(naps()), []int{1, 2, 3})
	var got []string
	for _, e := range r.Runs()[0].Entries {
		if e.Kind == observe.Progress {
			got = append(got, fmt.Sprint(e.At, " ", e.Path, " ", e.Note))
		}
	}
	want := []string{"180ms 0 slice.0: out 3, 16.67/s; nap: in 3, out 3, 16.67/s; count.2: in 3, 16.67/s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var svg bytes.Buffer
	if err := timeline.WriteSVG(&svg, r.Runs()...); err != nil || strings.Contains(svg.String(), "progress") {
		t.Errorf("%v; the picture tells of progress:\n%s", err, svg.String())
	}
}

func TestFlightOfProgress(t *testing.T) {
	_, err := runPlan(t, observe.Flight(8), flow.Timeout(150*time.Millisecond, stream.Count(naps())), []int{1, 2, 3})
	text := fmt.Sprintf("%+v", err)
	if strings.Count(text, "progress, ") != 1 || !strings.Contains(text, "progress, slice.0: out 3, 20/s; nap: in 3, out 2, lost 1, 13.33/s; count.2: in 2, 13.33/s") {
		t.Errorf("the flight record is\n%s", text)
	}
}
