package explore_test

import (
	"context"
	"errors"
	"fmt"
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

// outside is a step that is completed by the Done that told gets.
func outside(told func(step.Done[int])) step.Step[int, int] {
	return flow.Named("outside", step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait(as, told) }))
}

// completing starts a run whose last step is completed a second after it began.
func completing(ctx context.Context, loop tool.Tool) {
	flow.Start(ctx, loop, flow.Then(ask, outside(func(done step.Done[int]) {
		_, _ = loop.Deferred(time.Second, func() { done.Succeed(1) })
	})), 1)
}

// A report says where a test departs from the recording.
func TestFollowDeparts(t *testing.T) {
	door := syncx.NewMutex(1, -1)
	guarded := syncx.Sync(door, ask)
	once, twice := flow.Then(ask, step.Delay[int](1)), flow.Chain(ask, ask, step.Delay[int](1))
	for name, tt := range map[string]struct {
		record  func(ctx context.Context, loop tool.Tool)
		answers []taken
		body    explore.Body
		says    []string
	}{
		"another plan": {
			start(once), []taken{{after: 1}}, running(twice, nil),
			[]string{"at event 1 of", `run 1, of the plan "then", isn't started`, `started were others: ["chain"]`},
		},
		"a step more": {
			start(flow.Named("p", once)), []taken{{after: 1}}, running(flow.Named("p", twice), nil),
			[]string{"event 6 of 11", `recorded was step start 0/1 "delay" of run 1, after 1ns`, `instead came step start 0/1 "ask"`, "the plan, its input"},
		},
		"a function that waits now": {
			start(flow.Named("p", step.Map(func(n int) int { return n }))), nil, running(flow.Named("p", ask), nil),
			[]string{"event 2 of 3", `recorded was step end 0 "p"`, `instead came suspended 0 "p"`},
		},
		"another place": {
			start(flow.Named("p", flow.Par(ask, ask))), []taken{{after: 1}, {after: 1}}, running(flow.Named("p", flow.Some(2, ask, ask)), nil),
			[]string{"event 2 of", `recorded was step start 0/par.0/0 "ask"`, `instead came step start 0/some.0/0 "ask"`},
		},
		"a step less": {
			start(flow.Named("p", twice)), []taken{{after: 1}, {after: 1}}, running(flow.Named("p", once), nil),
			[]string{`recorded was step start 0/1 "ask"`, `instead came step start 0/1 "delay"`},
		},
		"a function that fails": {
			start(ask), []taken{{after: 1}},
			running(flow.Named("ask", step.Await(func(context.Context, int) (int, error) { return 0, errBusy })), nil),
			[]string{`recorded was step end 0 "ask"`, `instead came raised 0 "ask": busy`},
		},
		"another error": {
			start(flow.Named("p", step.Func(func(step.Scope, int) (int, error) { return 0, errBusy }))), nil,
			running(flow.Named("p", step.Func(func(step.Scope, int) (int, error) { return 0, errors.New("idle") })), nil),
			[]string{`recorded was raised 0 "p": busy`, `instead came raised 0 "p": idle`},
		},
		"nobody completes it": {
			completing, []taken{{after: 1}}, running(flow.Then(ask, outside(func(step.Done[int]) {})), nil),
			[]string{`recorded was resumed 1 "outside"`, "nothing more happens", "give Trial.Run an Action"},
		},
		"a guard that nobody holds": {
			func(ctx context.Context, loop tool.Tool) {
				flow.Start(context.Background(), loop, guarded, 1) // not recorded
				flow.Start(ctx, loop, guarded, 1)
			},
			[]taken{{after: 1}, {after: 1}}, running(syncx.Sync(syncx.NewMutex(1, -1), ask), nil),
			[]string{`recorded was queued 0 "sync"`, "a run that isn't in the incident"},
		},
		"nothing is started": {
			start(ask), []taken{{after: 1}}, func(x *explore.Trial) error { return x.Run() },
			[]string{"at event 1 of 5", `run 1, of the plan "ask", isn't started: begin it by explore.Start`},
		},
		"the loop isn't run": {
			start(ask), []taken{{after: 1}},
			func(x *explore.Trial) error { explore.Start(context.Background(), x, ask, 1); return nil },
			[]string{"at event 1 of 5", "nothing more happens"},
		},
		"a longer pause": {
			start(flow.Named("p", step.Delay[int](time.Second))), nil, running(flow.Named("p", step.Delay[int](2*time.Second)), nil),
			[]string{`recorded was resumed 0 "p" of run 1, after 1s`, `instead came resumed 0 "p", but after 2s`},
		},
		"a run too few": {
			func(ctx context.Context, loop tool.Tool) {
				flow.Start(ctx, loop, ask, 1)
				flow.Start(ctx, loop, flow.Named("other", ask), 1)
			},
			[]taken{{after: 1}, {after: 1}}, running(ask, nil),
			[]string{`run 2, of the plan "other", isn't started`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := explore.Follow(explore.FromRecorder(recorded(t, 1000, tt.answers, tt.record)...), tt.body)
			if !errors.Is(r.Departed, explore.ErrDeparted) {
				t.Fatalf("it departs: %v, the body returns %v", r.Departed, r.Err)
			}
			for _, says := range tt.says {
				if !strings.Contains(r.Departed.Error(), says) {
					t.Errorf("%v\ndoesn't say %s", r.Departed, says)
				}
			}
		})
	}
}

// Actions stand for what comes from outside. Of several actions Follow does the one that leads to the next event.
func TestFollowActions(t *testing.T) {
	runs := recorded(t, 1000, []taken{{after: 1}}, completing)
	r := explore.Follow(explore.FromRecorder(runs...), func(x *explore.Trial) error {
		var done step.Done[int]
		run := explore.Start(context.Background(), x, flow.Then(ask, outside(func(d step.Done[int]) { done = d })), 1)
		if err := x.Run(
			explore.Action{Name: "fail", Do: func() { done.Fail(errBusy) }},
			explore.Action{Name: "cancel", Do: func() { run.Cancel(nil) }},
			explore.Action{Name: "succeed", Do: func() { done.Succeed(1) }},
		); err != nil {
			return err
		}
		_, err := run.Result()
		return err
	})
	if r.Departed != nil || r.Err != nil {
		t.Errorf("%v, %v", r.Departed, r.Err)
	}
}

// A recording that has lost events before the end of a run is followed if the run can end as recorded, and the report tells of
// the gap.
func TestFollowGap(t *testing.T) {
	plan := flow.Named("p", flow.Par(ask, ask, ask))
	answers := []taken{{after: 1}, {after: 2}, {3, errBusy}}
	runs := recorded(t, 6, answers, start(plan))
	if runs[0].Lost == 0 {
		t.Fatal("nothing was lost")
	}
	said := reproduce(explore.FromRecorder(runs...), running(plan, nil))
	if !said.failed || !strings.Contains(said.text, "9 events before it weren't kept") {
		t.Errorf("the answers after the gap aren't known, so the end can't be the same: %s", said.text)
	}
	runs = recorded(t, 6, []taken{{after: 1}, {after: 2}, {after: 3}}, start(plan))
	said = reproduce(explore.FromRecorder(runs...), running(plan, nil))
	if said.failed || !strings.Contains(said.text, "weren't kept") {
		t.Errorf("%s", said.text)
	}
}

// A run that hasn't ended is followed as far as it got.
func TestFollowLive(t *testing.T) {
	loop := tooltest.New()
	recorder := observe.NewRecorder(100)
	plan := flow.Then(step.Delay[int](time.Second), step.Delay[int](time.Hour))
	flow.Start(observe.With(t.Context(), recorder), loop, plan, 1)
	loop.Advance(time.Minute)
	said := reproduce(explore.FromRecorder(recorder.Runs()...), running(plan, nil))
	if said.failed || !strings.Contains(said.text, "the recording ends before run 1") {
		t.Errorf("%s", said.text)
	}
}

type logged struct {
	printed
	failed bool
	text   string
}

// reproduce calls Reproduce, and returns what that tells the test.
func reproduce(in explore.Incident, body explore.Body) *logged {
	l := new(logged)
	func() {
		defer func() { _ = recover() }()
		explore.Reproduce(l, in, body)
	}()
	return l
}

func (l *logged) Fatal(args ...any) {
	l.failed, l.text = true, fmt.Sprint(args...)
	panic("the test ends")
}

func (l *logged) Logf(format string, args ...any) { l.text = fmt.Sprintf(format, args...) }

// Incidents without a run, without the beginning of a run, or that can't be read are refused.
func TestIncidentRefused(t *testing.T) {
	whole := recorded(t, 1000, []taken{{after: 1}, {after: 1}}, start(flow.Then(ask, ask)))
	half := whole[0]
	half.Entries = half.Entries[3:]
	inside := whole[0]
	for inside.Entries[0].Kind != observe.StepStart || inside.Entries[0].Path == "0" {
		inside.Entries = inside.Entries[1:]
	}
	empty := whole[0]
	empty.Entries = nil
	for name, tt := range map[string]struct {
		incident explore.Incident
		says     string
	}{
		"nothing":                 {explore.FromRecorder(), "no recording"},
		"the zero Incident":       {explore.Incident{}, "no run"},
		"an end alone":            {explore.FromRecorder(half), "what came before wasn't kept"},
		"a start inside":          {explore.FromRecorder(inside), "what came before wasn't kept"},
		"a run without events":    {explore.FromRecorder(empty), "no event"},
		"an error without record": {explore.FromError(errBusy), "no record"},
		"no error":                {explore.FromError(nil), "no record"},
		"no page":                 {explore.FromConsole(), "no file"},
		"not a page":              {explore.FromConsole([]byte("<html>")), "neither"},
		"another page":            {explore.FromConsole([]byte(`{"runs": []}`)), "no events of a run"},
		"a page without its beginning": {
			explore.FromConsole([]byte(`{"earlier": 3, "events": [{"what": "run end"}]}`)), "debug.Options.Events",
		},
		"an unknown event": {explore.FromConsole([]byte(`{"events": [{"what": "sneeze"}]}`)), "sneeze"},
	} {
		t.Run(name, func(t *testing.T) {
			r := explore.Follow(tt.incident, func(*explore.Trial) error { t.Error("the body is run"); return nil })
			if !errors.Is(r.Departed, explore.ErrIncident) || !strings.Contains(r.Departed.Error(), tt.says) {
				t.Errorf("%v doesn't say %q", r.Departed, tt.says)
			}
		})
	}
}
