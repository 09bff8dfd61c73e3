package observe_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var errBad = fault.New("Bad", "bad luck")

// labelOf returns label, or kind if label is the name of a closure, which ends with a line number.
func labelOf(label, kind string) string {
	if closureLine.MatchString(label) {
		return kind
	}
	return label
}

// closureLine matches the end of a closure's name.
var closureLine = regexp.MustCompile(`:\d+$`)

// eventRecorder records a line of text for each event.
type eventRecorder struct{ plantest.Recorder }

func (events *eventRecorder) Start(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
	return ctx, func(e observe.Event) {
		line := fmt.Sprintf("%v %v", e.At, e.Kind)
		if e.IsStep() {
			line += " " + e.Path() + " " + labelOf(e.Label(), e.StepKind())
		}
		if e.Kind == observe.Handled {
			line += " " + e.Outcome.String()
		}
		if e.Err != nil {
			line += ": " + string(fault.CodeOf(e.Err))
		}
		events.Recordf("%s", line)
	}
}

// runPlan runs s in virtual time and calls during when the run has begun.
func runPlan[In, Out any](t *testing.T, o observe.Observer, s step.Step[In, Out], in In, during ...func(*flow.Running[Out])) (*tooltest.Loop, error) {
	t.Helper()
	l := tooltest.New()
	r := flow.Start(observe.With(t.Context(), o), l, s, in)
	for _, do := range during {
		l.Step()
		do(r)
	}
	l.Run()
	_, err := r.Result()
	if errors.Is(err, flow.ErrRunning) {
		t.Fatal("the loop is idle and the run hasn't ended")
	}
	return l, err
}

func TestEvents(t *testing.T) {
	answer := func(next func() step.Next[step.Unit]) step.Step[step.Unit, step.Unit] {
		return flow.Named("risky", flow.Catch(plantest.Named("", errBad), func(step.Scope, error) step.Next[step.Unit] { return next() }))
	}
	mutex := syncx.NewMutex(1, 1)
	for _, c := range []struct {
		name string
		plan step.Step[step.Unit, step.Unit]
		want []string
	}{
		{"steps of one level", flow.Then(plantest.Named("a", nil), plantest.Named("b", nil)), []string{
			"0s step start 0 a", "0s step end 0 a", "0s step start 1 b", "0s step end 1 b", "0s run end",
		}},
		{"a wait", plantest.Delay("w", time.Second), []string{
			"0s step start 0 w", "0s suspended 0 w", "1s resumed 0 w", "1s step end 0 w", "1s run end",
		}},
		{"sub-steps, and an error that nobody handles", flow.Named("outer", flow.Call(plantest.Named("inner", errBad))), []string{
			"0s step start 0 outer", "0s step start 0/0 inner", "0s raised 0/0 inner: Bad",
			"0s step end 0/0 inner: Bad", "0s step end 0 outer: Bad", "0s run end: Bad",
		}},
		{"a handler that recovers", answer(func() step.Next[step.Unit] { return step.Succeed(step.Unit{}) }), []string{
			"0s step start 0 risky", "0s raised 0 risky: Bad", "0s handled 0 risky recovered: Bad",
			"0s step end 0 risky", "0s run end",
		}},
		{"a handler that replaces", answer(func() step.Next[step.Unit] { return step.Fail[step.Unit](fault.New("New", "")) }), []string{
			"0s step start 0 risky", "0s raised 0 risky: Bad", "0s handled 0 risky replaced: Bad",
			"0s raised 0 risky: New", "0s step end 0 risky: New", "0s run end: New",
		}},
		{"a handler that is silent", answer(func() step.Next[step.Unit] { return step.Unwind[step.Unit]() }), []string{
			"0s step start 0 risky", "0s raised 0 risky: Bad", "0s handled 0 risky silent: Bad",
			"0s step end 0 risky: Bad", "0s run end: Bad",
		}},
		{"a handler that breaks a rule", flow.Named("risky", flow.Catch(plantest.Named("", errBad), func(as step.Scope, _ error) step.Next[step.Unit] {
			plantest.BreakRule(as)
			return step.Succeed(step.Unit{})
		})), []string{
			"0s step start 0 risky", "0s raised 0 risky: Bad", "0s handled 0 risky replaced: Bad",
			"0s raised 0 risky: InvalidRequest", "0s step end 0 risky: InvalidRequest", "0s run end: InvalidRequest",
		}},
		{"a handler that panics", answer(func() step.Next[step.Unit] { panic("no") }), []string{
			"0s step start 0 risky", "0s raised 0 risky: Bad", "0s handled 0 risky replaced: Bad",
			"0s raised 0 risky: InternalError", "0s step end 0 risky: InternalError", "0s run end: InternalError",
		}},
		{"a timeout: what is inside ends first", flow.Named("limit", flow.Timeout(time.Second, plantest.Delay("slow", time.Minute))), []string{
			"0s step start 0 limit", "0s step start 0/0 slow", "0s suspended 0/0 slow", "1s timed out 0 limit: Timeout",
			"1s step end 0/0 slow: Timeout", "1s step end 0 limit: Timeout", "1s run end: Timeout",
		}},
		{"branches, of which the second fails", flow.Then(
			flow.Named("both", flow.Par2(plantest.Delay("slow", time.Minute), plantest.Named("bad", errBad))),
			step.Map(func(flow.Pair[step.Unit, step.Unit]) step.Unit { return step.Unit{} }),
		), []string{
			"0s step start 0 both", "0s step start 0/par.0/0 slow", "0s suspended 0/par.0/0 slow",
			"0s step start 0/par.1/0 bad", "0s raised 0/par.1/0 bad: Bad", "0s step end 0/par.1/0 bad: Bad",
			"0s step end 0/par.0/0 slow: Bad", "0s step end 0 both: Bad", "0s run end: Bad",
		}},
		{"elements: lanes are no steps", flow.Then(
			flow.Then(step.Map(func(step.Unit) []step.Unit { return make([]step.Unit, 1) }), flow.ParEach(1, plantest.Named("one", nil))),
			step.Map(func([]step.Unit) step.Unit { return step.Unit{} }),
		), []string{
			"0s step start 0 map", "0s step end 0 map", "0s step start 1 each", "0s step start 1/each.0/0 one",
			"0s step end 1/each.0/0 one", "0s step end 1 each", "0s step start 2 map", "0s step end 2 map", "0s run end",
		}},
		{"L1 a break in a branch is no error of its siblings", loopx.Loop(flow.Then(
			flow.Named("all", flow.Par(
				plantest.Delay("w", time.Second),
				flow.Named("turn", step.New(func(step.Scope, step.Unit) step.Next[step.Unit] { return loopx.Break[step.Unit]() })),
			)),
			step.Map(func([]step.Unit) step.Unit { return step.Unit{} }),
		)), []string{
			"0s step start 0 loop", "0s step start 0/0 all",
			"0s step start 0/0/par.0/0 w", "0s suspended 0/0/par.0/0 w", "0s step start 0/0/par.1/0 turn",
			"0s step end 0/0/par.1/0 turn", "0s step end 0/0/par.0/0 w", "0s step end 0/0 all",
			"0s step end 0 loop", "0s run end",
		}},
		{"a break is no error", loopx.Loop(flow.Named("turn", step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
			return loopx.Break[step.Unit]()
		}))), []string{
			"0s step start 0 loop", "0s step start 0/0 turn", "0s step end 0/0 turn", "0s step end 0 loop", "0s run end",
		}},
		{"a queue at a guard", flow.Then(
			flow.Par2(syncx.Sync(mutex, plantest.Delay("in", time.Second)), syncx.Sync(mutex, plantest.Delay("in", time.Second))),
			step.Map(func(flow.Pair[step.Unit, step.Unit]) step.Unit { return step.Unit{} }),
		), []string{
			"0s step start 0 par", "0s step start 0/par.0/0 sync", "0s step start 0/par.0/0/0 in", "0s suspended 0/par.0/0/0 in",
			"0s step start 0/par.1/0 sync", "0s queued 0/par.1/0 sync", "1s resumed 0/par.0/0/0 in", "1s step end 0/par.0/0/0 in",
			"1s step end 0/par.0/0 sync", "1s resumed 0/par.1/0 sync", "1s step start 0/par.1/0/0 in",
			"1s suspended 0/par.1/0/0 in", "2s resumed 0/par.1/0/0 in", "2s step end 0/par.1/0/0 in",
			"2s step end 0/par.1/0 sync", "2s step end 0 par", "2s step start 1 map", "2s step end 1 map", "2s run end",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var events eventRecorder
			runPlan(t, &events, c.plan, step.Unit{})
			events.Want(t, c.want...)
		})
	}
}

func TestCancelIsAnEventOfTheRun(t *testing.T) {
	var events eventRecorder
	_, _ = runPlan(t, &events, plantest.Delay("w", time.Second), step.Unit{}, func(r *flow.Running[step.Unit]) { r.Cancel(errBad) })
	events.Want(t, "0s step start 0 w", "0s suspended 0 w", "0s cancelled: Bad", "0s step end 0 w: Bad", "0s run end: Cancelled")
}

func TestDeadlineIsATimeoutOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events eventRecorder
		ctx, cancel := context.WithTimeout(observe.With(t.Context(), &events), time.Second)
		defer cancel()
		_, _ = flow.Run(ctx, plantest.Delay("w", time.Minute), step.Unit{})
		events.Want(t, "0s step start 0 w", "0s suspended 0 w", "1s timed out: Timeout", "1s step end 0 w: Timeout", "1s run end: Timeout")
	})
}

// A panic in a Watch goes to the loop's error handler and doesn't change the run.
func TestPanicInWatch(t *testing.T) {
	var events eventRecorder
	ctx := observe.With(t.Context(), observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) { panic(e.Kind.String()) }
	}))
	loop := tooltest.New()
	r := flow.Start(observe.With(ctx, &events), loop, plantest.Named("a", nil), step.Unit{})
	loop.Run()
	if _, err := r.Result(); err != nil {
		t.Errorf("the run ended with %v", err)
	}
	if n := len(loop.Errors()); n != 3 {
		t.Errorf("%d panics were reported, want one an event", n)
	}
	events.Want(t, "0s step start 0 a", "0s step end 0 a", "0s run end")
}

// A run that a step starts with the context of its scope has the run of the step as its Parent.
func TestParent(t *testing.T) {
	var runs []observe.Run
	o := observe.Func(func(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
		runs = append(runs, run)
		return ctx, nil
	})
	inner := flow.Named("inner", flow.Of(plantest.Named("i", nil)))
	outer := flow.Named("outer", step.Func(func(as step.Scope, _ step.Unit) (step.Unit, error) {
		flow.Start(as.Context(), as.Loop(), inner, step.Unit{})
		return step.Unit{}, nil
	}))
	runPlan(t, o, outer, step.Unit{})
	if len(runs) != 2 || runs[0].Parent != 0 || runs[1].Parent != runs[0].ID || runs[1].ID == runs[0].ID {
		t.Fatalf("runs: %+v", runs)
	}
	if runs[0].Name() != "outer" || runs[1].Name() != "inner" {
		t.Errorf("names: %q, %q", runs[0].Name(), runs[1].Name())
	}
	if diff := cmp.Diff(flow.Describe(inner), runs[1].Plan()); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

// A run of flow.On is a part of the one around it; a run that a step starts, in the On too, isn't.
func TestPart(t *testing.T) {
	var mu sync.Mutex
	parts := make(map[string]bool)
	o := observe.Func(func(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
		mu.Lock()
		defer mu.Unlock()
		parts[run.Name()] = run.Part
		return ctx, nil
	})
	g := tool.NewGroup(1, tool.Options{})
	inner := flow.Named("inner", flow.Of(plantest.Named("i", nil)))
	starts := flow.Named("starts", flow.AwaitRun(func(ctx context.Context, in step.Unit) *flow.Running[step.Unit] {
		return flow.Start(ctx, g.Next(), inner, in)
	}))
	_, err := flow.Run(observe.With(t.Context(), o), flow.Named("outer", flow.On(g, starts)), step.Unit{})
	if err = errors.Join(err, g.Shutdown(t.Context())); err != nil {
		t.Fatal(err)
	}
	if want := map[string]bool{"outer": false, "starts": true, "inner": false}; !maps.Equal(parts, want) {
		t.Errorf("parts: %v, want %v", parts, want)
	}
}

type ctxKey struct{}

func TestContextReachesSteps(t *testing.T) {
	o := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return context.WithValue(ctx, ctxKey{}, "seen"), nil
	})
	got, err := flow.Run(observe.With(t.Context(), o), step.Func(func(as step.Scope, _ step.Unit) (any, error) {
		return as.Context().Value(ctxKey{}), nil
	}), step.Unit{})
	if got != "seen" || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

// A panic in Start goes to the loop's error handler and doesn't change the run.
func TestPanicInStart(t *testing.T) {
	var events eventRecorder
	panics := observe.Func(func(context.Context, observe.Run) (context.Context, observe.Watch) { panic("no") })
	loop := tooltest.New()
	r := flow.Start(observe.With(observe.With(t.Context(), panics), &events), loop, plantest.Named("a", nil), step.Unit{})
	loop.Run()
	if _, err := r.Result(); err != nil {
		t.Errorf("the run ended with %v", err)
	}
	if errs := loop.Errors(); len(errs) != 1 || !strings.Contains(errs[0].Error(), "no") {
		t.Errorf("reported are %v, want the panic", errs)
	}
	events.Want(t, "0s step start 0 a", "0s step end 0 a", "0s run end")
}

// If an observer calls Goexit in Start, the run isn't started, and observers that were asked before get RunEnd.
func TestGoexitInStart(t *testing.T) {
	var events eventRecorder
	exits := observe.Func(func(context.Context, observe.Run) (context.Context, observe.Watch) { runtime.Goexit(); return nil, nil })
	ctx := observe.With(observe.With(t.Context(), &events), exits)
	var all sync.WaitGroup
	all.Go(func() { _, _ = flow.Run(ctx, plantest.Named("a", nil), step.Unit{}) })
	all.Wait()
	events.Want(t, "0s run end: InternalError")
}

func TestRefusedRunEnds(t *testing.T) {
	var events eventRecorder
	loop := tooltest.New()
	loop.Host().Drain()
	r := flow.Start(observe.With(t.Context(), &events), loop, plantest.Named("a", nil), step.Unit{})
	if _, err := r.Result(); err == nil {
		t.Error("a loop that drains has taken a run")
	}
	events.Want(t, "0s run end: InternalError")
}

func TestIsSection(t *testing.T) {
	mine, other := syncx.NewMutex(1, 0), syncx.NewMutex(1, 0)
	var got []bool
	o := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			if e.Kind == observe.StepStart {
				got = append(got, observe.IsSection(e, mine), observe.IsSection(e, other))
			}
		}
	})
	section := syncx.Sync(mine, plantest.Named("a", nil))
	handled := flow.Catch(section, func(step.Scope, error) step.Next[step.Unit] { return step.Unwind[step.Unit]() })
	for _, s := range []step.Step[step.Unit, step.Unit]{section, handled} {
		got = nil
		runPlan(t, o, s, step.Unit{})
		if diff := cmp.Diff([]bool{true, false, false, false}, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAllocsOfUnobservedRuns(t *testing.T) {
	if racetest.Enabled {
		t.Skip("the race detector allocates")
	}
	var events eventRecorder
	runPlan(t, &events, plantest.Named("a", nil), step.Unit{})
	plan := plantest.Named("b", nil)
	ctx := context.WithValue(t.Context(), ctxKey{}, 1)
	if n := testing.AllocsPerRun(1000, func() { _, _ = flow.Run(ctx, plan, step.Unit{}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
