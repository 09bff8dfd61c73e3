package explore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// marking returns a plan that appends the name of its run to line, after a moment.
func marking(line *string) flow.Plan[string, string] {
	return flow.Then(step.Delay[string](time.Second), step.Map(func(name string) string {
		*line += name
		return name
	}))
}

func marked(x *explore.Trial) error {
	line := ""
	plan := marking(&line)
	explore.Start(context.Background(), x, plan, "a")
	explore.Start(context.Background(), x, plan, "b")
	if err := x.Run(); err != nil {
		return err
	}
	return fmt.Errorf("they came as %s", line)
}

// Of two runs at one moment, the one that was recorded first goes first.
func TestFollowOrderOfRuns(t *testing.T) {
	for _, tt := range []struct {
		choose func(n int) int
		fails  string
	}{
		{func(int) int { return 0 }, "they came as ab"},
		{func(n int) int { return n - 1 }, "they came as ba"},
	} {
		recorder := observe.NewRecorder(100)
		loop := tooltest.New(tooltest.WithChooser(tt.choose))
		line := ""
		plan := marking(&line)
		for _, name := range []string{"a", "b"} {
			flow.Start(observe.With(t.Context(), recorder), loop, plan, name)
		}
		loop.Run()
		r := explore.Follow(explore.FromRecorder(recorder.Runs()...), marked)
		if r.Departed != nil || r.Err.Error() != tt.fails {
			t.Errorf("%v, %v, want %s", r.Departed, r.Err, tt.fails)
		}
		said := reproduce(explore.FromRecorder(recorder.Runs()...), marked)
		if strings.Contains(said.text, "another one") {
			t.Errorf("the order is said to be another one: %s", said.text)
		}
	}
}

// The recorded order of events of two runs, from two loops or from the console, may be impossible on one loop. Then only the
// order within each run counts, and the report says so.
func TestFollowImpossibleOrder(t *testing.T) {
	plan := func() flow.Plan[int, int] { return syncx.Sync(syncx.NewMutex(1, -1), step.Delay[int](time.Second)) }
	recorder := observe.NewRecorder(100)
	loop := tooltest.New()
	one := plan()
	for range 2 {
		flow.Start(observe.With(t.Context(), recorder), loop, one, 1)
	}
	loop.Run()
	runs := recorder.Runs()
	for i := range runs {
		runs[i].Entries = slices.Clone(runs[i].Entries)
		for j := range runs[i].Entries {
			if e := &runs[i].Entries[j]; e.Kind == observe.Resumed && e.StepKind == "sync" {
				e.Order = 1 // before the other run has left the guard
			}
		}
	}
	body := func(x *explore.Trial) error {
		one := plan()
		for range 2 {
			explore.Start(context.Background(), x, one, 1)
		}
		return x.Run()
	}
	said := reproduce(explore.FromRecorder(runs...), body)
	if said.failed || !strings.Contains(said.text, "the order of events of different runs is another one") {
		t.Errorf("%s", said.text)
	}
	if said := reproduce(explore.FromRecorder(recorder.Runs()...), body); said.failed || strings.Contains(said.text, "another one") {
		t.Errorf("in the order of the recording: %s", said.text)
	}
}

// A cancel may come within a turn, right after a step that takes no time.
func TestFollowCancelInTurn(t *testing.T) {
	plan := flow.Chain(ask, flow.Named("second", step.Map(func(n int) int { return n })), ask)
	runs := recorded(t, 1000, []taken{{after: 1}, {after: 1}}, func(ctx context.Context, loop tool.Tool) {
		var run *flow.Running[int]
		ctx = observe.With(ctx, observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
			return ctx, func(e observe.Event) {
				if e.Kind == observe.StepEnd && e.Name() == "second" {
					run.Cancel(errBusy)
				}
			}
		}))
		run = flow.Start(ctx, loop, plan, 1)
	})
	r := explore.Follow(explore.FromRecorder(runs...), running(plan, nil))
	if r.Departed != nil || r.Err == nil {
		t.Errorf("%v, %v", r.Departed, r.Err)
	}
}
