package observe_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
)

// labelsHere returns the profiler labels of the calling goroutine. It looks for its own name in the profile of all
// goroutines.
//
//go:noinline
func labelsHere() string { return labelsOf("observe_test.labelsHere") }

// labelsThere is labelsHere for a goroutine that runs at the same time.
//
//go:noinline
func labelsThere() string { return labelsOf("observe_test.labelsThere") }

func labelsOf(caller string) string {
	var all bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&all, 1)
	for entry := range strings.SplitSeq(all.String(), "\n\n") {
		if !strings.Contains(entry, caller+"+") {
			continue
		}
		for line := range strings.Lines(entry) {
			if labels, ok := strings.CutPrefix(line, "# labels: "); ok {
				return strings.TrimSpace(labels)
			}
		}
		return ""
	}
	return "not found"
}

// seen records the labels of the goroutine at each event.
type seen struct{ lines []string }

func (s *seen) Start(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
	return ctx, func(e observe.Event) { s.lines = append(s.lines, e.Kind.String()+" "+labelsHere()) }
}

func (s *seen) body(err error) step.Step[step.Unit, step.Unit] {
	return step.Func(func(step.Scope, step.Unit) (step.Unit, error) {
		s.lines = append(s.lines, "body "+labelsHere())
		return step.Unit{}, err
	})
}

func (s *seen) is(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.lines); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

func TestProfileLabels(t *testing.T) {
	var s seen
	a := flow.Named("a", s.body(nil))
	b := flow.Named("b", flow.Catch(s.body(errBad), func(step.Scope, error) step.Next[step.Unit] {
		s.lines = append(s.lines, "handler "+labelsHere())
		return step.Succeed(step.Unit{})
	}))
	var there string
	c := flow.Named("c", step.Await(func(context.Context, step.Unit) (step.Unit, error) {
		there = labelsThere()
		return step.Unit{}, nil
	}))
	plan := flow.Named("p", flow.Chain[step.Unit](a, b, c))
	ctx := observe.With(observe.With(t.Context(), observe.Profile()), &s)
	pprof.Do(ctx, pprof.Labels("request", "7"), func(ctx context.Context) {
		if _, err := flow.Run(ctx, plan, step.Unit{}); err != nil {
			t.Error(err)
		}
		s.lines = append(s.lines, "after "+labelsHere())
	})
	outside, in := `{"request":"7"}`, func(step string) string { return `{"plan":"p", "request":"7", "step":"` + step + `"}` }
	if there != in("c") {
		t.Errorf("the goroutine of the step has labels %s", there)
	}
	s.is(t,
		"step start "+in("p"),
		"step start "+in("a"), "body "+in("a"), "step end "+outside,
		"step start "+in("b"), "body "+in("b"), "raised "+in("b"), "handler "+in("b"), "handled "+in("b"), "step end "+outside,
		"step start "+in("c"), "suspended "+outside, "resumed "+outside, "step end "+outside,
		"step end "+outside, "run end "+outside, "after "+outside,
	)
}

func TestProfileOfCancel(t *testing.T) {
	var s seen
	w := plantest.Delay("w", time.Second)
	runPlan(t, observe.Func(func(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
		_, set := observe.Profile().Start(ctx, run)
		_, look := s.Start(ctx, run)
		return ctx, func(e observe.Event) { set(e); look(e) }
	}), w, step.Unit{}, func(r *flow.Running[step.Unit]) { r.Cancel(nil) })
	s.is(t, `step start {"plan":"w", "step":"w"}`, "suspended ", "cancelled ", "step end ", "run end ")
}

// The plan makes up more names than a run keeps labels.
func TestProfileOfManyNames(t *testing.T) {
	wrong := 0
	turn := step.New(func(as step.Scope, turn loopx.Iteration[step.Unit]) step.Next[step.Unit] {
		name := fmt.Sprint("n", turn.Index)
		return step.Into(as, flow.Named(name, step.Func(func(step.Scope, step.Unit) (step.Unit, error) {
			if turn.Index%100 == 99 && labelsHere() != `{"plan":"repeat", "step":"`+name+`"}` {
				wrong++
			}
			return step.Unit{}, nil
		})), step.Unit{})
	})
	runPlan(t, observe.Profile(), loopx.Repeat(600, turn), step.Unit{})
	if wrong > 0 {
		t.Errorf("%d of 6 labels are wrong", wrong)
	}
}
