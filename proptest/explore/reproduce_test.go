package explore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// taken is the answer to a step.Await in a recording in virtual time: it comes after a time, with err if that isn't nil. With
// a time below zero no answer comes.
type taken struct {
	after time.Duration
	err   error
}

// recorded records runs on a virtual loop. Their step.Await get the answers in the order in which they begin.
func recorded(t *testing.T, keeps int, answers []taken, start func(ctx context.Context, loop tool.Tool)) []observe.Recording {
	t.Helper()
	var loop *tooltest.Loop
	loop = tooltest.New(tooltest.WithHost(tool.WithWork(func(w tool.Work) (func(error), bool) {
		if w.Body.Call == nil {
			return nil, false
		}
		a := answers[0]
		answers = answers[1:]
		out, err := w.Body.Call(w.Context, w.In)
		if a.err != nil {
			err = a.err
		}
		done := func() { w.Done(out, err) }
		if a.after >= 0 {
			_, _ = loop.Deferred(a.after, done)
		}
		return func(error) { _, _ = loop.Immediate(done) }, true
	})))
	recorder := observe.NewRecorder(keeps)
	start(observe.With(t.Context(), recorder), loop)
	loop.Run()
	return recorder.Runs()
}

// ask calls a service whose fake returns the input.
var ask = flow.Named("ask", step.Await(func(_ context.Context, n int) (int, error) { return n, nil }))

// running returns a body that runs plan once, with actions made of the run.
func running[Out any](plan flow.Plan[int, Out], actions func(run *flow.Running[Out]) []explore.Action) explore.Body {
	return func(x *explore.Trial) error {
		run := explore.Start(context.Background(), x, plan, 1)
		var offered []explore.Action
		if actions != nil {
			offered = actions(run)
		}
		if err := x.Run(offered...); err != nil {
			return err
		}
		_, err := run.Result()
		return err
	}
}

func start[Out any](plan flow.Plan[int, Out]) func(ctx context.Context, loop tool.Tool) {
	return func(ctx context.Context, loop tool.Tool) { flow.Start(ctx, loop, plan, 1) }
}

var errBusy = errors.New("busy")

// A recorded run is repeated with the recorded errors and times.
func TestFollow(t *testing.T) {
	slow := flow.Timeout(time.Second, ask)
	tried := retry.Of(retry.Policy{Tries: 3, Pause: time.Second, Jitter: 0.9, If: func(error) bool { return true }}, ask)
	for name, tt := range map[string]struct {
		plan    flow.Plan[int, []int]
		answers []taken
		failed  error // nil: the run has succeeded
	}{
		"the second answer first":       {flow.Par(ask, ask), []taken{{after: 2}, {after: 1}}, nil},
		"an error":                      {flow.Par(ask, ask), []taken{{after: 2}, {after: 1, err: errBusy}}, errBusy},
		"no answer":                     {flow.Par(slow, ask), []taken{{after: -1}, {after: 1}}, fault.Timeout},
		"the limit passes beside":       {flow.Par(slow, ask), []taken{{after: 2 * time.Second}, {after: time.Minute}}, fault.Timeout},
		"a retry with pauses":           {flow.Par(tried, ask), []taken{{1, errBusy}, {after: time.Minute}, {1, errBusy}, {after: 1}}, nil},
		"a retry that gives up":         {flow.Par(tried, ask), []taken{{1, errBusy}, {after: time.Minute}, {1, errBusy}, {1, errBusy}}, errBusy},
		"a race":                        {flow.Some(2, ask, ask, ask), []taken{{after: 3}, {after: 1}, {after: 2}}, nil},
		"an error of package fault":     {flow.Par(ask, ask), []taken{{1, fault.New("Declined", "no money")}, {after: 2}}, fault.Code("Declined")},
		"an error that wraps another":   {flow.Par(ask, ask), []taken{{1, fmt.Errorf("bank: %w", errBusy)}, {after: 2}}, errBusy},
		"answers at the same moment":    {flow.Par(ask, ask, ask), []taken{{after: 1}, {1, errBusy}, {1, errBusy}}, errBusy},
		"a panic in place of an answer": {flow.Par(ask, ask), []taken{{1, &fault.Panic{Value: "nil map"}}, {after: 2}}, fault.InternalError},
	} {
		t.Run(name, func(t *testing.T) {
			runs := recorded(t, 1000, tt.answers, start(tt.plan))
			r := explore.Follow(explore.FromRecorder(runs...), running(tt.plan, nil))
			if r.Departed != nil {
				t.Fatal(r.Departed)
			}
			if !errors.Is(r.Err, tt.failed) {
				t.Errorf("it fails with %v, want %v", r.Err, tt.failed)
			}
			entries := runs[0].Entries
			for i, m := range r.Moments {
				if late := m.At - entries[i].At; late < 0 || late > time.Millisecond || !strings.HasPrefix(m.Event, entries[i].Kind.String()) {
					t.Errorf("event %d is %v at %v, recorded at %v as %v", i, m.Event, m.At, entries[i].At, entries[i].Kind)
				}
			}
			if (r.Short != nil) != (tt.failed != nil) {
				t.Errorf("the schedule to keep is %v", r.Short)
			}
			if r.Short != nil {
				again := explore.Replay(r.Short.Schedule, func(x *explore.Trial) error {
					x.Answers(r.Answers...)
					return running(tt.plan, nil)(x)
				})
				if fmt.Sprint(again) != fmt.Sprint(r.Err) {
					t.Errorf("the test to keep fails with %v, not %v", again, r.Err)
				}
			}
		})
	}
}

// A cancel comes where the recording has it, with its cause.
func TestFollowCancel(t *testing.T) {
	plan := flow.Then(ask, ask)
	runs := recorded(t, 1000, []taken{{after: 1}, {after: time.Hour}}, func(ctx context.Context, loop tool.Tool) {
		run := flow.Start(ctx, loop, plan, 1)
		_, _ = loop.Deferred(time.Minute, func() { run.Cancel(errBusy) })
	})
	r := explore.Follow(explore.FromRecorder(runs...), running(plan, nil))
	if r.Departed != nil || !errors.Is(r.Err, errBusy) || !errors.Is(r.Err, fault.Cancelled) {
		t.Errorf("%v, %v", r.Departed, r.Err)
	}
	if n := len(r.Answers); n == 0 || r.Answers[n-1].Path != "" && r.Answers[0].Path != "" {
		t.Errorf("the answers don't have the cancel: %+v", r.Answers)
	}
	if r.Short == nil || r.Short.Schedule.Delays() != 0 {
		t.Errorf("the schedule is %+v", r.Short)
	}
}

// Two runs use an account at the same time, in the recorded order.
func TestFollowRuns(t *testing.T) {
	shop := func() (flow.Plan[int, int], *int) {
		balance := new(int)
		return flow.Chain(step.Map(func(int) int { return *balance }), ask, step.Map(func(seen int) int {
			*balance = seen + 1
			return seen
		})), balance
	}
	plan, balance := shop()
	runs := recorded(t, 1000, []taken{{after: 3 * time.Second}, {after: time.Second}}, func(ctx context.Context, loop tool.Tool) {
		flow.Start(ctx, loop, plan, 1)
		_, _ = loop.Deferred(time.Second, func() { flow.Start(ctx, loop, plan, 2) })
	})
	if *balance != 1 {
		t.Fatalf("the balance is %d", *balance)
	}
	r := explore.Follow(explore.FromRecorder(runs...), func(x *explore.Trial) error {
		plan, balance := shop()
		x.Look(func() string { return fmt.Sprint("balance ", *balance) })
		explore.Start(context.Background(), x, plan, 1)
		err := x.Run(explore.Action{Name: "the second", Do: func() { explore.Start(context.Background(), x, plan, 2) }})
		if err == nil && *balance != 2 {
			err = fmt.Errorf("the balance is %d", *balance)
		}
		return err
	})
	if r.Departed != nil || r.Err == nil || r.Err.Error() != "the balance is 1" {
		t.Fatalf("%v, %v", r.Departed, r.Err)
	}
	if r.Moments[0].State != "balance 0" || r.Moments[len(r.Moments)-1].State != "balance 1" {
		t.Errorf("%+v", r.Moments)
	}
	if r.Short == nil {
		t.Error("there is no test to keep")
	}
}

// Runs on several loops are reproduced on one.
func TestFollowSeveralLoops(t *testing.T) {
	door := syncx.NewMutex(1, -1)
	plan := func(door *syncx.Mutex) flow.Plan[int, int] {
		return syncx.Sync(door, flow.Then(ask, step.Func(func(_ step.Scope, n int) (int, error) {
			if n == 3 {
				return 0, errBusy
			}
			return n, nil
		})))
	}
	recorder := observe.NewRecorder(10_000)
	ctx := observe.With(t.Context(), recorder)
	var all []*flow.Running[int]
	for n := range 4 {
		loop := tool.Start(tool.Options{})
		defer func() { _ = loop.Shutdown(context.Background()) }()
		all = append(all, flow.Start(ctx, loop, plan(door), n))
	}
	for _, run := range all {
		_, _ = run.Wait(t.Context())
	}
	r := explore.Follow(explore.FromRecorder(recorder.Runs()...), func(x *explore.Trial) error {
		door := syncx.NewMutex(1, -1)
		var all []*flow.Running[int]
		for n := range 4 {
			all = append(all, explore.Start(context.Background(), x, plan(door), n))
		}
		err := x.Run()
		for _, run := range all {
			_, failed := run.Result()
			err = errors.Join(err, failed)
		}
		return err
	})
	if r.Departed != nil || !errors.Is(r.Err, errBusy) {
		t.Errorf("%v, %v", r.Departed, r.Err)
	}
}

// Each run has its own answers, and each execution of a step gets the next of them.
func TestAnswersOfRuns(t *testing.T) {
	err := explore.Replay(nil, func(x *explore.Trial) error {
		x.Answers(
			explore.Answer{Run: 2, Path: "0/1", After: time.Second, Err: errBusy},
			explore.Answer{Run: 1, Path: "0/1", After: time.Minute},
			explore.Answer{Run: 1, Path: "0/1", After: explore.Never},
			explore.Answer{Run: 1, After: time.Hour, Err: errBusy},
		)
		carry := step.Map(func(i loopx.Iteration[int]) int { return i.Carry })
		plan := loopx.Repeat(2, flow.Then(carry, ask))
		runs := []*flow.Running[int]{explore.Start(context.Background(), x, plan, 1), explore.Start(context.Background(), x, plan, 1)}
		var ends []time.Duration
		for _, run := range runs {
			run.Then(func(int, error) { ends = append(ends, x.Loop().Now()) })
		}
		if err := x.Run(); err != nil {
			return err
		}
		_, cancelled := runs[0].Result()
		_, failed := runs[1].Result()
		if !errors.Is(cancelled, fault.Cancelled) || !errors.Is(failed, errBusy) || fmt.Sprint(ends) != "[1s 1h0m0s]" {
			return fmt.Errorf("%v, %v, at %v", cancelled, failed, ends)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestCancelThatNeverComes(t *testing.T) {
	err := explore.Replay(nil, func(x *explore.Trial) error {
		x.Answers(explore.Answer{Run: 1, After: explore.Never})
		run := explore.Start(context.Background(), x, flow.Of(step.Delay[int](time.Second)), 1)
		if err := x.Run(); err != nil {
			return err
		}
		_, err := run.Result()
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
