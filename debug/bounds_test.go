package debug_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestMoreLiveRunsThanListed(t *testing.T) {
	h := newHarness(t, debug.Options{Live: 2})
	start(h, plantest.Delay("", time.Hour))
	first := start(h, plantest.Delay("", time.Hour))
	start(h, plantest.Delay("", time.Hour))
	last := start(h, flow.Named("last", plantest.Delay("", time.Hour)))
	if v := h.data(""); len(v.Live) != 2 || v.Unlisted != 2 {
		t.Errorf("%d listed, %d not", len(v.Live), v.Unlisted)
	}
	for page, want := range map[string]string{
		"": "2 more are live, and neither listed nor searched", "plans": "4 live, 2 of them not listed: ", "index?q=last": "No listed run is like that.",
	} {
		if got := h.html(page); !strings.Contains(got, want) {
			t.Errorf("%q isn't said in\n%s", want, got)
		}
	}
	first.Cancel(nil)
	last.Cancel(nil)
	h.loop.Advance(0)
	v := h.data("")
	if len(v.Live) != 1 || v.Unlisted != 1 || len(v.Ended) != 2 || v.Ended[0].Name != "last" && v.Ended[1].Name != "last" {
		t.Errorf("after two have ended: %+v", v)
	}
}

// Successes don't push out failures, nor failures successes.
func TestEndedRunsKept(t *testing.T) {
	h := newHarness(t, debug.Options{Ended: 2, Failures: 2})
	start(h, plantest.Named("first bad", errBad))
	for range 100 {
		start(h, plantest.Named("good", nil))
	}
	names := func() (all []string) {
		for _, e := range h.data("").Ended {
			all = append(all, e.Name)
		}
		return all
	}
	if got := names(); len(got) != 4 || !strings.Contains(fmt.Sprint(got), "first bad") {
		t.Errorf("got %q", got)
	}
	for range 100 {
		start(h, plantest.Named("bad", errBad))
	}
	if got := fmt.Sprint(names()); strings.Count(got, "bad") != 2 || strings.Contains(got, "first") || strings.Count(got, "good") != 3 {
		t.Errorf("got %s", got)
	}
}

// The latest failures are kept for longer than an hour. Of the successes the latest and a sample are kept.
func TestEndedRunsKeptForAnHour(t *testing.T) {
	h := newHarness(t, debug.Options{Ended: 4, Failures: 50})
	plans := map[string]flow.Plan[step.Unit, step.Unit]{"good": flow.Of(plantest.Named("good", nil)), "bad": flow.Of(plantest.Named("bad", errBad))}
	ended := func(name string) (ago []int) {
		for _, e := range h.data("index?size=1000&state=ended&plan=" + name).Ended {
			ago = append(ago, int(e.End.Ago/60))
		}
		return ago
	}
	for range 180 { // minutes
		start(h, plans["good"])
		start(h, plans["good"])
		h.loop.Advance(time.Minute)
	}
	if got := fmt.Sprint(ended("good")); got != "[1 1 2 2 15 30 45 60]" {
		t.Errorf("successes of %s minutes ago are kept", got)
	}
	for range 10 {
		start(h, plans["bad"])
	}
	h.loop.Advance(59 * time.Minute)
	for range 3 {
		start(h, plans["bad"])
	}
	if got := ended("bad"); len(got) != 13 {
		t.Errorf("failures of %d minutes ago are kept", got)
	}
	h.loop.Advance(2 * time.Minute)
	start(h, plans["bad"])
	if got := ended("bad"); len(got) != 4 || got[3] != 2 {
		t.Errorf("failures of %d minutes ago are kept", got)
	}
	h.loop.Advance(24 * time.Hour)
	start(h, plans["bad"])
	if got := ended("bad"); len(got) != 4 {
		t.Errorf("of failures that are old, those of %d minutes ago are kept", got)
	}
	for range 100 {
		start(h, plans["bad"])
	}
	if got := ended("bad"); len(got) != 50 {
		t.Errorf("%d failures are kept", len(got))
	}
}

func TestManySteps(t *testing.T) {
	h := newHarness(t, debug.Options{})
	branches := make([]step.Step[step.Unit, step.Unit], 1500)
	for i := range branches {
		branches[i] = plantest.Delay("", time.Duration(1+i)*time.Second)
	}
	start(h, drop(flow.Par(branches...)))
	live := h.data("").Live[0]
	if len(live.Stands) != 4 || live.Stands[3].Path != "0/par.3/0" || live.MoreSteps != 1500-4 {
		t.Errorf("%d stands, %d more", len(live.Stands), live.MoreSteps)
	}
	one := h.data(fmt.Sprintf("run?id=%d", live.ID))
	if len(one.Stands) != 999 || one.MoreSteps != 501 || one.Plan != nil || one.Parts < 3000 {
		t.Errorf("%d stands, %d more, %d parts, plan %v", len(one.Stands), one.MoreSteps, one.Parts, one.Plan != nil)
	}
	if page := h.html(fmt.Sprintf("run?id=%d", live.ID)); !strings.Contains(page, " more parts</div>") {
		t.Error("it isn't said that parts of the plan are left out")
	}
	h.loop.Advance(1490 * time.Second)
	if left := h.data("").Live[0]; left.MoreSteps != 10 {
		t.Errorf("at last %d stands, %d more", len(left.Stands), left.MoreSteps)
	}
}

// The text of a long error is cut off, and what comes behind it is still shown.
func TestLongErrors(t *testing.T) {
	h := newHarness(t, debug.Options{})
	start(h, plantest.Named("", errors.New(strings.Repeat("é", 1<<20))))
	v := h.data(fmt.Sprintf("run?id=%d", h.data("").Ended[0].ID))
	for name, text := range map[string]string{"event": v.Events[1].Error, "end": v.End.Error, "detail": v.Detail} {
		if !strings.Contains(text, "é…") || len(text) > 17<<10 || len(text) < 490 {
			t.Errorf("%s: %d bytes, …%q", name, len(text), text[max(0, len(text)-10):])
		}
	}
	if !strings.Contains(v.Detail, "…\n  raised") {
		t.Errorf("the text hides what comes behind it: …%q", v.Detail[max(0, len(v.Detail)-200):])
	}
}

// For a long error the console allocates at most fifteen times its text more than for a short one.
func TestLongErrorsCostLittle(t *testing.T) {
	for name, wrap := range map[string]func(error) error{
		"of package fault": func(err error) error { return fault.Wrap("Code", "more", err) },
		"of package fmt":   func(err error) error { return fmt.Errorf("more: %w", err) },
		"as it is":         func(err error) error { return err },
	} {
		written := func(ctx context.Context, size int) uint64 {
			plan := flow.Of(plantest.Named("", errors.New(strings.Repeat("x", size))))
			for i := range 10 {
				plan = flow.Catch(flow.Named(fmt.Sprint("level ", i), flow.Call(plan)),
					func(_ step.Scope, err error) step.Next[step.Unit] { return step.Fail[step.Unit](wrap(err)) })
			}
			var before, after runtime.MemStats
			const runs = 20
			runtime.ReadMemStats(&before)
			for range runs {
				_, _ = flow.Run(ctx, plan, step.Unit{})
			}
			runtime.ReadMemStats(&after)
			return (after.TotalAlloc - before.TotalAlloc) / runs
		}
		h := newHarness(t, debug.Options{})
		ctx := observe.With(t.Context(), h)
		const large = 20_000
		console := func(size int) int { return int(written(ctx, size)) - int(written(t.Context(), size)) }
		if more := console(large) - console(10); more > 15*large {
			t.Errorf("%s: %d bytes more than for a short one", name, more)
		}
	}
}

// The texts of secondary errors are cut before they are printed, and each is shown with its cause.
func TestLongSecondaryErrors(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	failing := func(err error) error {
		return &fault.Error{Code: "Main", Info: "info", Secondary: []error{&fault.Error{Code: "Second", Info: "again", Cause: err}}}
	}
	for name, err := range map[string]error{
		"info":                     failing(fault.New("Deep", "deeper "+long)),
		"cause":                    failing(errors.New("deeper " + long)),
		"wrapped":                  failing(fmt.Errorf("deeper %s: %w", long, errBad)),
		"secondary to these":       failing(&fault.Error{Code: "Deep", Info: "deeper", Secondary: []error{errors.New(long)}}),
		"wrapped as a whole":       fmt.Errorf("outer: %w", failing(errors.New("deeper "+long))),
		"cause of what is wrapped": fmt.Errorf("outer: %w", &fault.Error{Code: "Outer", Cause: failing(errors.New("deeper " + long))}),
	} {
		h := newHarness(t, debug.Options{})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start(h, plantest.Named("a", err))
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20/2 {
			t.Errorf("%s: %d bytes", name, got)
		}
		text := h.data(fmt.Sprintf("run?id=%d", h.data("").Ended[0].ID)).Detail
		for _, part := range []string{"Main: info", "Second: again", "deeper"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in %.300q", name, part, text)
			}
		}
	}
}

// A secondary error of an error that a silent handler has let pass is printed once, as package fault does.
func TestSecondaryErrorIsPrintedOnce(t *testing.T) {
	h := newHarness(t, debug.Options{})
	hook := flow.OnCancel(plantest.Delay("", time.Hour), func(step.Scope) { panic("hook") })
	fails := flow.Then(plantest.Delay("", time.Second), plantest.Named("", errBad))
	silent := flow.Catch(drop(flow.Par(hook, fails)), func(step.Scope, error) step.Next[step.Unit] { return step.Unwind[step.Unit]() })
	run := start(h, silent)
	h.loop.Advance(time.Second)
	_, err := run.Result()
	text := h.data(fmt.Sprintf("run?id=%d", h.data("").Ended[0].ID)).Detail
	if got, want := strings.Count(text, "panic: hook"), strings.Count(fmt.Sprintf("%+v", err), "panic: hook"); got != want || want == 0 {
		t.Errorf("printed %d times, by fault %d times:\n%.3000s", got, want, text)
	}
}

func TestLongErrorsKeepTheirCode(t *testing.T) {
	h := newHarness(t, debug.Options{})
	long := strings.Repeat("x", 20_000)
	start(h, plantest.Named("a", fmt.Errorf("%s: %w", long, errBad)))
	start(h, plantest.Named("b", fmt.Errorf("%s: %w", long, fault.Code("Own"))))
	start(h, plantest.Named("c", errors.Join(errors.New(long), errBad)))
	for _, e := range h.data("").Ended {
		detail := h.data(fmt.Sprintf("run?id=%d", e.ID)).Detail
		if want := map[string]string{"a": "Bad", "b": "Own", "c": "Bad"}[e.Name]; e.End.Code != want || !strings.HasPrefix(detail, want) {
			t.Errorf("%s: %s, %.50q", e.Name, e.End.Code, detail)
		}
	}
}

type ill struct{}

func (ill) Error() string { panic("no words") }

func TestErrorThatPanics(t *testing.T) {
	h := newHarness(t, debug.Options{})
	start(h, plantest.Named("", ill{}))
	if ended := h.data("").Ended; len(ended) != 1 || !strings.Contains(ended[0].End.Error, "no words") {
		t.Errorf("ended: %+v", ended)
	}
	if errs := h.loop.Errors(); len(errs) != 0 {
		t.Errorf("the loop was told of %v", errs)
	}
}

func TestConcurrently(t *testing.T) {
	h := newHarness(t, debug.Options{Live: 50, Ended: 5, Failures: 5})
	loops := tool.NewGroup(3, tool.Options{})
	mutex := syncx.NewMutex(2, -1)
	h.Guard("mutex", mutex)
	plan := drop(flow.Par2(
		syncx.Sync(mutex, plantest.Delay("", time.Microsecond)),
		loopx.Loop(step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
			if as.Context().Err() == nil && len(as.Path()) > 0 {
				return loopx.Break[step.Unit]()
			}
			return step.Succeed(step.Unit{})
		})),
	))
	var all sync.WaitGroup
	ctx := observe.With(context.Background(), h)
	for i := range 4 {
		all.Go(func() {
			for n := range 200 {
				s := plan
				if n%10 == i {
					s = flow.Then(plan, plantest.Named("", errBad))
				}
				<-flow.Start(ctx, loops.Next(), s, step.Unit{}).Done()
			}
		})
	}
	over := make(chan step.Unit)
	var readers sync.WaitGroup
	readers.Go(func() {
		for i := 0; ; i++ {
			h.Guard(fmt.Sprint(i%5), mutex)
			for i, l := range loops.Loops() {
				h.Loop(fmt.Sprint(i), l)
			}
			v := h.data("")
			h.html("guards")
			h.html("loops")
			for _, l := range append(v.Live, v.Ended...) {
				h.request("GET", fmt.Sprintf("run.json?id=%d", l.ID), nil) // the run may have been dropped
			}
			select {
			case <-over:
				return
			default:
			}
		}
	})
	all.Wait()
	close(over)
	readers.Wait()
	if v := h.data(""); len(v.Live) != 0 || v.Unlisted != 0 || len(v.Ended) != 11 { // and one as a sample
		t.Errorf("at last %d live, %d unlisted, %d ended", len(v.Live), v.Unlisted, len(v.Ended))
	}
	if err := loops.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
