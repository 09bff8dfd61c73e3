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
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// drop makes a plan without a result of the branches.
func drop[In any](s step.Step[none, In]) step.Step[none, none] {
	return flow.Then(s, step.Map(func(In) none { return none{} }))
}

func TestWhereRunsStand(t *testing.T) {
	within := step.New(func(as step.Scope, _ none) step.Next[none] { return step.Into(as, takes("sub", time.Hour), none{}) })
	for _, c := range []struct {
		reason string
		plan   step.Step[none, none]
		want   []stand
	}{
		{"a step that waits", flow.Then(does("a", nil), takes("b", time.Hour)), []stand{{"1", "b", "new", "", "suspended", "", 60}}},
		{"the innermost one", flow.Timeout(time.Hour, takes("b", 2*time.Hour)), []stand{{"0/0", "b", "new", "", "suspended", "", 60}}},
		{"a step without a name, in one that has some", flow.Named("outer", flow.Timeout(time.Hour, flow.Call(step.Delay[none](time.Hour)))), []stand{
			{"0/0/0", "delay", "delay", "outer", "suspended", "", 60},
		}},
		{"a step that a body has entered", within, []stand{{"0/0", "sub", "new", "", "suspended", "", 60}}},
		{"branches, in their order", drop(flow.Par(
			takes("0", time.Hour), does("1", nil), takes("2", time.Hour), does("3", nil), does("4", nil), does("5", nil),
			does("6", nil), does("7", nil), does("8", nil), does("9", nil), takes("10", time.Hour),
		)), []stand{
			{"0/par.0/0", "0", "new", "", "suspended", "", 60}, {"0/par.2/0", "2", "new", "", "suspended", "", 60},
			{"0/par.10/0", "10", "new", "", "suspended", "", 60},
		}},
		{"the turn of a loop", loopx.Loop(takes("turn", 40*time.Second)), []stand{{"0/0", "turn", "new", "", "suspended", "", 20}}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t, debug.Options{})
			running := start(r, c.plan)
			r.loop.Advance(time.Minute)
			live := r.data("").Live
			if len(live) != 1 || live[0].Age != 60 {
				t.Fatalf("live: %+v", live)
			}
			if diff := cmp.Diff(c.want, live[0].Stands); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			running.Cancel(nil)
			r.loop.Advance(0)
			if left := r.data("").Live; len(left) != 0 {
				t.Errorf("after its end: %+v", left)
			}
		})
	}
}

// Between two attempts a run stands at the step of the retry.
func TestStandsWhereStepsHaveEnded(t *testing.T) {
	r := newRig(t, debug.Options{})
	start(r, flow.Named("again", retry.Of(retry.Policy{Tries: 3, Pause: time.Minute}, flow.Then(takes("ask", time.Second), does("fail", errBad)))))
	for _, want := range []string{"ask", "again"} {
		live := r.data("index?state=suspended").Live
		if len(live) != 1 || len(live[0].Stands) != 1 || live[0].Stands[0].Label != want || live[0].MoreSteps != 0 {
			t.Errorf("at %v it stands at %+v, want %s", r.loop.Now(), live, want)
		}
		r.loop.Advance(time.Second)
	}
}

func TestEnds(t *testing.T) {
	r := newRig(t, debug.Options{})
	start(r, flow.Named("good", takes("", time.Second)))
	start(r, flow.Named("bad", flow.Then(takes("", 2*time.Second), does("step", errBad))))
	start(r, flow.Named("gone", takes("", time.Hour))).Cancel(errBad)
	r.loop.Advance(12 * time.Second)
	var got []string
	for _, e := range r.data("index").Ended {
		got = append(got, fmt.Sprintf("%s %v %v %s at %q", e.Name, e.End.Took, e.End.Ago, e.End.Code, e.End.Path))
	}
	want := []string{`bad 2 10 Bad at "0/1"`, `good 1 11  at ""`, `gone 0 12 Cancelled at "0"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The page of a failed run shows its error with all details.
func TestErrorInFull(t *testing.T) {
	r := newRig(t, debug.Options{})
	running := start(r, flow.Named("bad", flow.Catch(does("inner", errBad), func(step.Scope, error) step.Next[none] { return step.Unwind[none]() })))
	_, err := running.Result()
	v := r.data(fmt.Sprintf("run?id=%d", r.data("").Ended[0].ID))
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
	r := newRig(t, debug.Options{Events: 4})
	start(r, flow.Then(does("a", nil), flow.Named("b", flow.Catch(takes("", time.Second), func(step.Scope, error) step.Next[none] {
		return step.Succeed(none{})
	}))))
	v := r.data(fmt.Sprintf("run?id=%d", r.data("").Live[0].ID))
	var got []string
	for _, e := range v.Events {
		got = append(got, fmt.Sprint(e.At, " ", e.What, " ", e.Path, " ", e.Label))
	}
	if diff := cmp.Diff([]string{"0 step start 0 a", "0 step end 0 a", "0 step start 1 b", "0 suspended 1 b"}, got); diff != "" || v.Earlier != 0 {
		t.Errorf("%d earlier, -want +got:\n%s", v.Earlier, diff)
	}
	r.loop.Run()
	v = r.data(fmt.Sprintf("run?id=%d", r.data("").Ended[0].ID))
	if v.Earlier != 3 || len(v.Events) != 4 || v.Events[3].What != "run end" || v.Events[3].At != 1 {
		t.Errorf("%d earlier, then %+v", v.Earlier, v.Events)
	}
}

func TestParentsAndChildren(t *testing.T) {
	r := newRig(t, debug.Options{})
	start(r, flow.Named("outer", step.New(func(as step.Scope, _ none) step.Next[none] {
		flow.Start(as.Context(), as.Loop(), takes("inner", time.Hour), none{})
		return step.Into(as, takes("", time.Hour), none{})
	})))
	live := r.data("").Live
	if len(live) != 2 || live[0].Name != "outer" || live[1].Name != "inner" || live[1].Parent != live[0].ID {
		t.Fatalf("live: %+v", live)
	}
	outer := r.data(fmt.Sprintf("run?id=%d", live[0].ID))
	if len(outer.Children) != 1 || outer.Children[0].ID != live[1].ID {
		t.Errorf("children: %+v", outer.Children)
	}
	if page := r.html(fmt.Sprintf("run?id=%d", live[1].ID)); !strings.Contains(page, fmt.Sprintf(`by <a href="run?id=%d">`, live[0].ID)) {
		t.Errorf("no link to the parent in\n%s", page)
	}
}

func TestRealClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, debug.Options{})
		r.Handler = debug.New(debug.Options{Hosts: hosts}) // without the virtual clock of r.loop
		l := tool.Start(tool.Options{})
		running := flow.Start(observe.With(t.Context(), r), l, takes("", time.Hour), none{})
		<-time.After(time.Minute)
		if live := r.data("").Live[0]; live.Age != 60 || live.Stands[0].For != 60 {
			t.Errorf("after a minute: %+v", live)
		}
		running.Cancel(nil)
		if err := l.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		start(r, flow.Then(takes("", time.Hour), takes("", time.Hour)))
		r.loop.Advance(90 * time.Minute) // virtual time, so no time for the clock of the Handler
		if live := r.data("").Live[0]; live.Age != 0 || live.Stands[0].For != 0 {
			t.Errorf("with another clock: %+v", live)
		}
		r.loop.Run()
		if ended := r.data("").Ended; len(ended) != 2 || ended[1].End.Took != 7200 || ended[1].End.Ago != 0 {
			t.Errorf("with another clock it ended: %+v", ended)
		}
	})
}
