package debug_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func drop[In any](s step.Step[step.Unit, In]) step.Step[step.Unit, step.Unit] {
	return flow.Then(s, step.Map(func(In) step.Unit { return step.Unit{} }))
}

func TestWhereRunsStand(t *testing.T) {
	within := step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		return step.Into(as, plantest.Delay("sub", time.Hour), step.Unit{})
	})
	for _, c := range []struct {
		reason string
		plan   step.Step[step.Unit, step.Unit]
		want   []stand
	}{
		{"a step that waits", flow.Then(plantest.Named("a", nil), plantest.Delay("b", time.Hour)), []stand{{"1", "b", "new", "", "suspended", "", 60}}},
		{"the innermost one", flow.Timeout(time.Hour, plantest.Delay("b", 2*time.Hour)), []stand{{"0/0", "b", "new", "", "suspended", "", 60}}},
		{"a step without a name, in one that has some", flow.Named("outer", flow.Timeout(time.Hour, flow.Call(step.Delay[step.Unit](time.Hour)))), []stand{
			{"0/0/0", "delay", "delay", "outer", "suspended", "", 60},
		}},
		{"a step that a body has entered", within, []stand{{"0/0", "sub", "new", "", "suspended", "", 60}}},
		{"branches, in their order", drop(flow.Par(
			plantest.Delay("0", time.Hour), plantest.Named("1", nil), plantest.Delay("2", time.Hour), plantest.Named("3", nil), plantest.Named("4", nil), plantest.Named("5", nil),
			plantest.Named("6", nil), plantest.Named("7", nil), plantest.Named("8", nil), plantest.Named("9", nil), plantest.Delay("10", time.Hour),
		)), []stand{
			{"0/par.0/0", "0", "new", "", "suspended", "", 60}, {"0/par.2/0", "2", "new", "", "suspended", "", 60},
			{"0/par.10/0", "10", "new", "", "suspended", "", 60},
		}},
		{"the turn of a loop", loopx.Loop(plantest.Delay("turn", 40*time.Second)), []stand{{"0/0", "turn", "new", "", "suspended", "", 20}}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			h := newHarness(t, debug.Options{})
			running := start(h, c.plan)
			h.loop.Advance(time.Minute)
			live := h.data("").Live
			if len(live) != 1 || live[0].Age != 60 {
				t.Fatalf("live: %+v", live)
			}
			if diff := cmp.Diff(c.want, live[0].Stands); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			running.Cancel(nil)
			h.loop.Advance(0)
			if left := h.data("").Live; len(left) != 0 {
				t.Errorf("after its end: %+v", left)
			}
		})
	}
}

// Between two attempts a run stands at the step of the retry.
func TestStandsWhereStepsHaveEnded(t *testing.T) {
	h := newHarness(t, debug.Options{})
	start(h, flow.Named("again", retry.Of(retry.Policy{Tries: 3, Pause: time.Minute}, flow.Then(plantest.Delay("ask", time.Second), plantest.Named("fail", errBad)))))
	for _, want := range []string{"ask", "again"} {
		live := h.data("index?state=suspended").Live
		if len(live) != 1 || len(live[0].Stands) != 1 || live[0].Stands[0].Label != want || live[0].MoreSteps != 0 {
			t.Errorf("at %v it stands at %+v, want %s", h.loop.Now(), live, want)
		}
		h.loop.Advance(time.Second)
	}
}

// Steps go on inside of a flow.Linger that was left, and has ended. The named steps around it are still those of its beginning.
func TestStandsInWhatLingers(t *testing.T) {
	h := newHarness(t, debug.Options{})
	slow := flow.Linger(time.Hour, flow.Grace(-1, flow.Shield(flow.Then(plantest.Delay("slow", 10*time.Second), plantest.Delay("slower", 10*time.Second)))))
	quick := flow.Linger(time.Hour, plantest.Delay("quick", time.Second))
	tried := flow.Timeout(30*time.Second, flow.Linger(time.Hour, flow.Grace(-1, flow.Shield(flow.Call(step.Delay[step.Unit](time.Minute))))))
	start(h, flow.Chain(
		drop(flow.First(slow, quick)), plantest.Delay("next", 5*time.Second),
		flow.Named("again", flow.Catch(retry.Of(retry.Policy{Tries: 2, Pause: time.Minute}, tried), func(step.Scope, error) step.Next[step.Unit] {
			return step.Succeed(step.Unit{})
		})),
	))
	for _, c := range []struct {
		after time.Duration
		want  []string
	}{
		{0, []string{"slow in ", "quick in "}},
		{2 * time.Second, []string{"slow in ", "next in "}},
		{7 * time.Second, []string{"slow in ", "delay in again"}},
		{11 * time.Second, []string{"delay in again", "slower in "}},
		{21 * time.Second, []string{"delay in again"}},
		{40 * time.Second, []string{"delay in again", "again in "}}, // in the pause
	} {
		h.loop.Advance(c.after - h.loop.Now())
		live := h.data("").Live[0]
		var got []string
		for _, s := range live.Stands {
			got = append(got, s.Label+" in "+s.In)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || live.MoreSteps != 0 {
			t.Errorf("after %v: %d more, -want +got:\n%s", c.after, live.MoreSteps, diff)
		}
		if found := len(h.data("index?state=running").Live); found != 0 {
			t.Errorf("after %v it counts as running", c.after)
		}
	}
	h.loop.Run()
	if left := h.data("").Live; len(left) != 0 {
		t.Errorf("after its end: %+v", left)
	}
}

func TestEnds(t *testing.T) {
	h := newHarness(t, debug.Options{})
	start(h, flow.Named("good", plantest.Delay("", time.Second)))
	start(h, flow.Named("bad", flow.Then(plantest.Delay("", 2*time.Second), plantest.Named("step", errBad))))
	start(h, flow.Named("gone", plantest.Delay("", time.Hour))).Cancel(errBad)
	h.loop.Advance(12 * time.Second)
	var got []string
	for _, e := range h.data("index").Ended {
		got = append(got, fmt.Sprintf("%s %v %v %s at %q", e.Name, e.End.Took, e.End.Ago, e.End.Code, e.End.Path))
	}
	want := []string{`bad 2 10 Bad at "0/1"`, `good 1 11  at ""`, `gone 0 12 Cancelled at "0"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestErrorInFull(t *testing.T) {
	h := newHarness(t, debug.Options{})
	running := start(h, flow.Named("bad", flow.Catch(plantest.Named("inner", errBad), func(step.Scope, error) step.Next[step.Unit] { return step.Unwind[step.Unit]() })))
	_, err := running.Result()
	v := h.data(fmt.Sprintf("run?id=%d", h.data("").Ended[0].ID))
	if want := fmt.Sprintf("%+v", err); v.Detail != want || !strings.Contains(want, "silent") {
		t.Errorf("got\n%s\nwant\n%s", v.Detail, want)
	}
	var said []string
	for _, e := range v.Events {
		said = append(said, e.What+": "+e.Error)
	}
	brief := err.Error()
	if diff := cmp.Diff([]string{"step start: ", "raised: Bad: bad luck", "handled: Bad: bad luck", "step end: Bad", "run end: " + brief}, said); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestEvents(t *testing.T) {
	h := newHarness(t, debug.Options{Events: 4})
	start(h, flow.Then(plantest.Named("a", nil), flow.Named("b", flow.Catch(plantest.Delay("", time.Second), func(step.Scope, error) step.Next[step.Unit] {
		return step.Succeed(step.Unit{})
	}))))
	v := h.data(fmt.Sprintf("run?id=%d", h.data("").Live[0].ID))
	var got []string
	for _, e := range v.Events {
		got = append(got, fmt.Sprint(e.At, " ", e.What, " ", e.Path, " ", e.Label))
	}
	if diff := cmp.Diff([]string{"0 step start 0 a", "0 step end 0 a", "0 step start 1 b", "0 suspended 1 b"}, got); diff != "" || v.Earlier != 0 {
		t.Errorf("%d earlier, -want +got:\n%s", v.Earlier, diff)
	}
	h.loop.Run()
	v = h.data(fmt.Sprintf("run?id=%d", h.data("").Ended[0].ID))
	if v.Earlier != 3 || len(v.Events) != 4 || v.Events[3].What != "run end" || v.Events[3].At != 1 {
		t.Errorf("%d earlier, then %+v", v.Earlier, v.Events)
	}
}

func TestParentsAndChildren(t *testing.T) {
	h := newHarness(t, debug.Options{})
	start(h, flow.Named("outer", step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		flow.Start(as.Context(), as.Loop(), plantest.Delay("inner", time.Hour), step.Unit{})
		return step.Into(as, plantest.Delay("", time.Hour), step.Unit{})
	})))
	live := h.data("").Live
	if len(live) != 2 || live[0].Name != "outer" || live[1].Name != "inner" || live[1].Parent != live[0].ID {
		t.Fatalf("live: %+v", live)
	}
	outer := h.data(fmt.Sprintf("run?id=%d", live[0].ID))
	if len(outer.Children) != 1 || outer.Children[0].ID != live[1].ID {
		t.Errorf("children: %+v", outer.Children)
	}
	if page := h.html(fmt.Sprintf("run?id=%d", live[1].ID)); !strings.Contains(page, fmt.Sprintf(`by <a href="run?id=%d">`, live[0].ID)) {
		t.Errorf("no link to the parent in\n%s", page)
	}
}

func TestRealClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, debug.Options{})
		h.Handler = debug.New(debug.Options{Hosts: hosts}) // without the virtual clock of h.loop
		l := tool.Start(tool.Options{})
		running := flow.Start(observe.With(t.Context(), h), l, plantest.Delay("", time.Hour), step.Unit{})
		<-time.After(time.Minute)
		if live := h.data("").Live[0]; live.Age != 60 || live.Stands[0].For != 60 {
			t.Errorf("after a minute: %+v", live)
		}
		running.Cancel(nil)
		if err := l.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		start(h, flow.Then(plantest.Delay("", time.Hour), plantest.Delay("", time.Hour)))
		h.loop.Advance(90 * time.Minute) // virtual time, so no time for the clock of the Handler
		if live := h.data("").Live[0]; live.Age != 0 || live.Stands[0].For != 0 {
			t.Errorf("with another clock: %+v", live)
		}
		h.loop.Run()
		if ended := h.data("").Ended; len(ended) != 2 || ended[1].End.Took != 7200 || ended[1].End.Ago != 0 {
			t.Errorf("with another clock it ended: %+v", ended)
		}
	})
}
