package observe_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func entries(r observe.Recording) []string {
	var lines []string
	for _, e := range r.Entries {
		line := strings.TrimRight(fmt.Sprintf("%v %v %s %s", e.At, e.Kind, e.Path, labelOf(e.Label(), e.StepKind)), " ")
		if e.Kind == observe.Handled {
			line += " " + e.Outcome.String()
		}
		if e.Err != nil {
			line += ": " + string(fault.CodeOf(e.Err))
		}
		lines = append(lines, line)
	}
	return lines
}

func TestRecorder(t *testing.T) {
	rec := observe.NewRecorder(100)
	plan := flow.Named("p", flow.Catch(flow.Then(plantest.Delay("w", time.Second), plantest.Named("bad", errBad)),
		func(step.Scope, error) step.Next[step.Unit] { return step.Succeed(step.Unit{}) }))
	runPlan(t, rec, plan, step.Unit{})
	runs := rec.Runs()
	if len(runs) != 1 || runs[0].Run.Name() != "p" || runs[0].Lost != 0 {
		t.Fatalf("recorded: %+v", runs)
	}
	want := []string{
		"0s step start 0 p", "0s step start 0/0 w", "0s suspended 0/0 w", "1s resumed 0/0 w", "1s step end 0/0 w",
		"1s step start 0/1 bad", "1s raised 0/1 bad: Bad", "1s step end 0/1 bad: Bad",
		"1s handled 0 p recovered: Bad", "1s step end 0 p", "1s run end",
	}
	if diff := cmp.Diff(want, entries(runs[0])); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// The recorded paths are right, although frames are used again for later steps.
func TestRecorderAgreesWithEvents(t *testing.T) {
	var events eventRecorder
	rec := observe.NewRecorder(1000)
	sub := step.New(func(as step.Scope, in step.Unit) step.Next[step.Unit] {
		return step.Into(as, flow.Chain[step.Unit](plantest.Named("x", nil), plantest.Named("y", nil)), in)
	})
	two := flow.Then(flow.Par2(flow.Chain[step.Unit](sub, plantest.Named("a", nil), sub), flow.Then(sub, plantest.Named("b", errBad))),
		step.Map(func(flow.Pair[step.Unit, step.Unit]) step.Unit { return step.Unit{} }))
	loop := tooltest.New()
	flow.Start(observe.With(observe.With(t.Context(), rec), &events), loop, two, step.Unit{})
	loop.Run()
	if diff := cmp.Diff(events.Lines, entries(rec.Runs()[0])); diff != "" {
		t.Errorf("entries (-told +recorded):\n%s", diff)
	}
}

func TestRecordingIsASnapshot(t *testing.T) {
	rec := observe.NewRecorder(100)
	var during, copied []observe.Recording
	runPlan(t, rec, plantest.Delay("w", time.Second), step.Unit{}, func(*flow.Running[step.Unit]) {
		during, copied = rec.Runs(), rec.Runs()
		during[0].Entries = append(during[0].Entries, observe.Entry{})
	})
	if len(copied[0].Entries) != 2 || len(rec.Runs()[0].Entries) != 5 {
		t.Errorf("%d events during the run, %d after it", len(copied[0].Entries), len(rec.Runs()[0].Entries))
	}
	if last := rec.Runs()[0].Entries[2].Kind; last != observe.Resumed {
		t.Errorf("what a reader appended was recorded, or overwritten: %v", last)
	}
}

func TestRecorderForgetsEndedRunsFirst(t *testing.T) {
	rec := observe.NewRecorder(10)
	l := tooltest.New()
	ctx := observe.With(t.Context(), rec)
	long := flow.Start(ctx, l, plantest.Delay("long", time.Hour), step.Unit{}) // 2 events
	l.Step()
	for range 4 { // 3 events each
		flow.Start(ctx, l, plantest.Named("short", nil), step.Unit{})
		l.Step()
	}
	runs := rec.Runs()
	if len(runs) != 3 || runs[0].Run.Name() != "long" || runs[2].Run.ID != runs[0].Run.ID+4 {
		t.Fatalf("recorded: %+v", runs)
	}
	long.Cancel(nil)
	l.Run()
}

func TestRecorderLosesWhatIsNew(t *testing.T) {
	rec := observe.NewRecorder(2)
	runPlan(t, rec, flow.Then(plantest.Named("a", nil), plantest.Named("b", errBad)), step.Unit{})
	r := rec.Runs()[0]
	if diff := cmp.Diff([]string{"0s step start 0 a", "0s step end 0 a", "0s run end: Bad"}, entries(r)); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if r.Lost != 3 { // start, raised and end of b
		t.Errorf("%d lost, want 3", r.Lost)
	}
}

func TestRecorderForgetsBeforeItLoses(t *testing.T) {
	rec := observe.NewRecorder(4)
	l := tooltest.New()
	ctx := observe.With(t.Context(), rec)
	for _, s := range []step.Step[step.Unit, step.Unit]{plantest.Named("short", nil), flow.Then(plantest.Delay("long", time.Hour), plantest.Delay("long", time.Hour))} {
		flow.Start(ctx, l, s, step.Unit{})
		l.Run()
	}
	runs := rec.Runs()
	if len(runs) != 1 || len(runs[0].Entries) != 5 || runs[0].Lost != 4 || l.Errors() != nil {
		t.Errorf("recorded: %+v, %v", runs, l.Errors())
	}
	if n := rec.Clocks(); n != 1 {
		t.Errorf("%d loops are remembered, want that of the last run", n)
	}
}

func TestRecorderForgetsLoops(t *testing.T) {
	rec := observe.NewRecorder(30)
	ctx := observe.With(t.Context(), rec)
	for range 100 {
		l := tooltest.New()
		flow.Start(ctx, l, plantest.Named("a", nil), step.Unit{})
		l.Run()
	}
	if n := rec.Clocks(); n != 10 {
		t.Errorf("%d loops are remembered for 10 runs", n)
	}
}

// The loop's clock is virtual, so runs that begin hours apart begin at nearly the same time of day.
func TestRecorderComparesWithOlderRuns(t *testing.T) {
	rec := observe.NewRecorder(5)
	l := tooltest.New()
	ctx := observe.With(t.Context(), rec)
	short := plantest.Named("short", nil)
	flow.Start(ctx, l, flow.Then(plantest.Delay("long", time.Hour), plantest.Delay("long", time.Hour)), step.Unit{})
	l.Step()
	flow.Start(ctx, l, short, step.Unit{})
	l.Advance(time.Hour) // the events of the long run take the room of those of the short one, which began last
	if runs := rec.Runs(); len(runs) != 1 {
		t.Fatalf("recorded: %+v", runs)
	}
	flow.Start(ctx, l, short, step.Unit{})
	l.Step()
	if runs := rec.Runs(); len(runs) != 2 || runs[1].Run.Started.Sub(runs[0].Run.Started) != time.Hour {
		t.Errorf("recorded: %+v", runs)
	}
	l.Run()
}

func TestRecordingOfParent(t *testing.T) {
	rec := observe.NewRecorder(100)
	inner := flow.Named("inner", flow.Of(plantest.Delay("i", time.Second)))
	outer := flow.Then(plantest.Delay("w", time.Hour), flow.Named("outer", step.Func(func(as step.Scope, _ step.Unit) (step.Unit, error) {
		flow.Start(context.WithoutCancel(as.Context()), as.Loop(), inner, step.Unit{})
		return step.Unit{}, nil
	})))
	runPlan(t, rec, outer, step.Unit{})
	runs := rec.Runs()
	if len(runs) != 2 || runs[1].Run.Parent != runs[0].Run.ID {
		t.Fatalf("recorded: %+v", runs)
	}
	if last := runs[0].Entries[runs[1].After-1]; last.Kind != observe.StepStart || last.Name != "outer" {
		t.Errorf("the run was started after %+v", last)
	}
	if apart := runs[1].Run.Started.Sub(runs[0].Run.Started); apart != time.Hour {
		t.Errorf("the runs are %v apart, by the clock of their loop it was an hour", apart)
	}
}

func TestRecordingOfTwoLoops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := observe.NewRecorder(100)
		ctx := observe.With(t.Context(), rec)
		for range 2 {
			if _, err := flow.Run(ctx, plantest.Delay("w", time.Minute), step.Unit{}); err != nil {
				t.Error(err)
			}
			loop := tool.Start(tool.Options{})
			_, err := flow.Start(ctx, loop, plantest.Delay("w", time.Minute), step.Unit{}).Wait(ctx)
			if err := errors.Join(err, loop.Shutdown(ctx)); err != nil {
				t.Error(err)
			}
		}
		for i, r := range rec.Runs() {
			if apart := r.Run.Started.Sub(rec.Runs()[0].Run.Started); apart != time.Duration(i)*time.Minute {
				t.Errorf("run %d was started after %v", i, apart)
			}
		}
	})
}

// Orders tell which of two events came first, also on two loops.
func TestRecorderOrder(t *testing.T) {
	rec := observe.NewRecorder(100)
	a, b := tooltest.New(), tooltest.New()
	for _, l := range []*tooltest.Loop{a, b} {
		flow.Start(observe.With(t.Context(), rec), l, plantest.Delay("w", time.Second), step.Unit{})
	}
	for b.Pending() > 0 || a.Pending() > 0 {
		b.Step()
		a.Step()
	}
	orders := make(map[int]int)
	for i, r := range rec.Runs() {
		for _, e := range r.Entries {
			orders[e.Order] = i
		}
	}
	want := map[int]int{1: 1, 2: 1, 3: 0, 4: 0, 5: 1, 6: 1, 7: 1, 8: 0, 9: 0, 10: 0}
	if diff := cmp.Diff(want, orders); diff != "" {
		t.Errorf("the runs of the events (-want +got):\n%s", diff)
	}
}

func TestRecorderOfManyGoroutines(t *testing.T) {
	rec := observe.NewRecorder(500)
	ctx := observe.With(t.Context(), rec)
	plan := flow.Par2(plantest.Named("a", nil), plantest.Named("b", nil))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				_, _ = flow.Run(ctx, plan, step.Unit{})
				for _, r := range rec.Runs() {
					_ = entries(r)
				}
			}
		})
	}
	all.Wait()
	kept := 0
	for _, r := range rec.Runs() {
		kept += len(r.Entries)
		if n := len(r.Entries); r.Lost != 0 || n != 7 {
			t.Errorf("run %d has %d events, and %d lost", r.Run.ID, n, r.Lost)
		}
	}
	if kept > 500 || kept < 490 {
		t.Errorf("%d events are kept", kept)
	}
}
