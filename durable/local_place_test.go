package durable_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
)

var idle = flow.Named("idle", step.Delay[int](time.Hour))

// withGroup is enginetest.Locally with a group of loops for flow.On.
func withGroup(t *testing.T, fn func(t *testing.T, on durable.Engine, loops *tool.Group)) {
	t.Helper()
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		loops := tool.NewGroup(1, tool.Options{})
		fn(t, on, loops)
		if err := loops.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A step has waited since it began to wait, and not since its loop, its run or its part of the plan began.
func TestLocalPictureTellsHowLong(t *testing.T) {
	withGroup(t, func(t *testing.T, on durable.Engine, loops *tool.Group) {
		w := durable.New("waits", flow.Then(step.Delay[int](time.Hour), flow.On(loops, flow.Then(step.Delay[int](time.Hour), idle))))
		time.Sleep(24 * time.Hour)
		run, err := w.Start(t.Context(), on, "w", 1)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2*time.Hour + time.Minute)
		synctest.Wait()
		picture, err := run.Picture(t.Context())
		if !strings.Contains(picture, "for 1h1m0s") || !strings.Contains(picture, "for 1m0s") || strings.Count(picture, "for ") != 2 || err != nil {
			t.Errorf("%v\n%s", err, picture)
		}
	})
}

// The plan has one branch for all elements and tasks. The steps that execute a stream aren't in it.
func TestLocalPictureOfManyElements(t *testing.T) {
	all := flow.NewTasks[int, int]("all")
	same := step.Map(func(in []int) []int { return in })
	behind := flow.Then(step.Map(func(n int) int { return n }), idle)
	bound := stream.Bound{Limit: 2}
	elements := stream.Slice[int]()
	hidden := step.New(func(as step.Scope, n int) step.Next[int] { return step.Into(as, idle, n) })
	race := flow.Timeout(24*time.Hour, flow.Race(flow.Then(flow.Named("other", step.Delay[int](time.Hour)), idle), flow.Of(hidden)))
	for name, c := range map[string]struct {
		plan  step.Step[[]int, []int]
		marks []string
	}{
		"no stream":         {flow.Then(step.Map(func(in []int) int { return len(in) }), flow.Then(race, step.Map(func(n int) []int { return []int{n} }))), []string{"other"}},
		"elements":          {flow.ParEach(2, idle), []string{"idle"}},
		"tasks":             {all.All(2, idle), []string{"idle"}},
		"tasks behind":      {flow.Chain(same, all.Completed(2, behind)), []string{"idle"}},
		"a stream":          {stream.Collect(stream.Through(elements, bound, idle)), []string{"collect", "idle"}},
		"a stream behind":   {flow.Chain(same, stream.Collect(stream.Through(elements, bound, behind))), []string{"collect", "idle"}},
		"one of two stages": {stream.Collect(stream.Through(stream.Through(elements, bound, idle), bound, idle)), []string{"collect"}},
		"a stream in a race": {flow.Timeout(24*time.Hour, flow.Race(
			flow.Of(stream.Collect(stream.Through(elements, bound, idle))), flow.Then(step.Delay[[]int](time.Hour), same),
		)), []string{"delay", "collect", "idle"}},
	} {
		t.Run(name, func(t *testing.T) {
			enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
				run, err := durable.New("many", c.plan).Start(t.Context(), on, "m", []int{1, 2, 3})
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				picture, err := run.Picture(t.Context())
				if err != nil || strings.Count(picture, "#ffdf99") != len(c.marks) {
					t.Errorf("%v\n%s", err, picture)
				}
				for _, label := range c.marks {
					if !regexp.MustCompile(`\b` + label + `\b[^\n]*for 0s`).MatchString(picture) {
						t.Errorf("%s isn't marked\n%s", label, picture)
					}
				}
			})
		})
	}
}

// Steps in a flow.On are those of the run: they receive signals, and their bodies have keys and are checked.
func TestLocalOn(t *testing.T) {
	withGroup(t, func(t *testing.T, on durable.Engine, loops *tool.Group) {
		key := step.Await(func(ctx context.Context, n int) (string, error) { return durable.Key(ctx), nil })
		w := durable.New("on", flow.On(loops, flow.Then(waits, key)))
		run, err := w.Start(t.Context(), on, "o", 1)
		if err == nil {
			err = durable.Send(t.Context(), run, "go", 41)
		}
		if err != nil {
			t.Fatal(err)
		}
		if out, err := run.Wait(t.Context()); out != "o/0/4#1" || err != nil {
			t.Errorf("got %q, %v", out, err)
		}
		body := step.Await(func(_ context.Context, b breaking) (breaking, error) { return breaking{Panics: true}, nil })
		if err := ended(t, durable.New("unstorable", flow.Then(flow.On(loops, body), step.Map(func(breaking) int { return 1 }))), on, "u", breaking{}); !errors.Is(err, durable.ErrUnstorable) {
			t.Errorf("got %v", err)
		}
	})
}

// Steps that receive signals in a flow.On, and the loop that delivers them, share the run: for the race detector.
func TestLocalSignalsInsideOfOn(t *testing.T) {
	withGroup(t, func(t *testing.T, on durable.Engine, loops *tool.Group) {
		receive := flow.On(loops, waits)
		w := durable.New("on", flow.Par(receive, receive, receive, waits))
		run, err := w.Start(t.Context(), on, "o", 1)
		for range 4 {
			if err == nil {
				err = durable.Send(t.Context(), run, "go", 1)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if out, err := run.Wait(t.Context()); len(out) != 4 || err != nil {
			t.Errorf("got %v, %v", out, err)
		}
		turns := durable.New("loops", flow.Par(flow.On(loops, durable.Loop(counts(100))), flow.Of(durable.Loop(counts(100)))))
		if err := ended(t, turns, on, "l", progressOfRun{}); err != nil {
			t.Error(err)
		}
	})
}

// A run that a body starts in its context isn't one of the workflow.
func TestLocalBodyReceivesNoSignals(t *testing.T) {
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		body := step.Await(func(ctx context.Context, n int) (int, error) { return flow.Run(ctx, waits, n) })
		err := ended(t, durable.New("body", flow.Then(body, waits)), on, "b", 1)
		if fault.CodeOf(err) != fault.InternalError || !strings.Contains(err.Error(), "durable.Signal go") {
			t.Errorf("got %v", err)
		}
	})
}

// The paths of a run that a step starts begin anew: they aren't places of the run around it.
func TestLocalPlaceOfAwaitRun(t *testing.T) {
	withGroup(t, func(t *testing.T, on durable.Engine, loops *tool.Group) {
		other := flow.Par(idle, flow.On(loops, idle))
		starts := flow.Named("starts", flow.AwaitRun(func(ctx context.Context, n int) *flow.Running[[]int] {
			return flow.Start(ctx, loops.Next(), other, n)
		}))
		w := durable.New("parts", flow.On(loops, flow.Linger(time.Minute, starts)))
		run, err := w.Start(t.Context(), on, "a", 7)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if place, err := run.Place(t.Context()); !strings.HasSuffix(place, " starts\n") || strings.Contains(place, "idle") || err != nil {
			t.Errorf("it stands at %q, %v", place, err)
		}
		if out, err := run.Wait(t.Context()); len(out) != 2 || err != nil {
			t.Errorf("got %v, %v", out, err)
		}
	})
}

// A run that a step has started on another loop isn't the workflow's: it gets no signals.
func TestLocalSignalOnAnotherLoop(t *testing.T) {
	withGroup(t, func(t *testing.T, on durable.Engine, loops *tool.Group) {
		asks := flow.Then(flow.Value[int](struct{}{}), durable.Signal[int]("n"))
		starts := flow.AwaitRun(func(ctx context.Context, n int) *flow.Running[int] { return flow.Start(ctx, loops.Next(), asks, n) })
		run, err := durable.New("asks", starts).Start(t.Context(), on, "a", 7)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := run.Wait(t.Context()); fault.CodeOf(err) != fault.InternalError {
			t.Errorf("got %v, %v", out, err)
		}
	})
}
