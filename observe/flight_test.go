package observe_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func recorded(err error) []string {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return nil
	}
	var lines []string
	for _, m := range e.Record {
		line := strings.TrimRight(fmt.Sprintf("%v %s %s %s", m.At, m.What, m.Path, m.Name), " ")
		if m.Err != nil {
			line += ": " + string(fault.CodeOf(m.Err))
		}
		lines = append(lines, line)
	}
	return lines
}

func TestFlightOfTimeout(t *testing.T) {
	risky := flow.Catch(plantest.Named("risky", errBad), func(step.Scope, error) step.Next[step.Unit] { return step.Succeed(step.Unit{}) })
	plan := flow.Named("limit", flow.Timeout(time.Second, flow.Then(risky, plantest.Delay("slow", time.Minute))))
	for n, want := range map[int][]string{
		100: {
			"0s step start 0 limit", "0s step start 0/0 risky", "0s raised 0/0 risky: Bad", "0s handled, recovered 0/0 risky: Bad",
			"0s step end 0/0 risky", "0s step start 0/1 slow", "0s suspended 0/1 slow", "1s timed out 0 limit: Timeout",
			"1s step end 0/1 slow: Timeout", "1s step end 0 limit: Timeout",
		},
		3: {"1s timed out 0 limit: Timeout", "1s step end 0/1 slow: Timeout", "1s step end 0 limit: Timeout"},
		0: nil,
	} {
		_, err := runPlan(t, observe.Flight(n), plan, step.Unit{})
		if diff := cmp.Diff(want, recorded(err)); diff != "" {
			t.Errorf("Flight(%d) (-want +got):\n%s", n, diff)
		}
		if got := strings.Contains(fmt.Sprintf("%+v", err), "what happened before:"); got != (n > 0) {
			t.Errorf("Flight(%d): %%+v prints\n%+v", n, err)
		}
	}
}

func TestFlightIsAttachedTo(t *testing.T) {
	full := syncx.NewMutex(1, 0)
	both := flow.Then(flow.Par2(syncx.Sync(full, plantest.Delay("in", time.Second)), syncx.Sync(full, plantest.Delay("in", time.Second))),
		step.Map(func(flow.Pair[step.Unit, step.Unit]) step.Unit { return step.Unit{} }))
	broken := step.Func(func(step.Scope, step.Unit) (step.Unit, error) { panic("no") })
	for _, c := range []struct {
		name string
		plan step.Step[step.Unit, step.Unit]
		want bool
	}{
		{"a full queue", both, true},
		{"a panic", broken, true},
		{"a timeout that a handler passes on", plantest.Named("", fault.Timeout), true},
		{"another error", plantest.Named("", errBad), false},
		{"an error around a timeout", plantest.Named("", fault.Wrap("Bad", "", fault.Timeout)), false},
		{"a break outside of loops", step.New(func(step.Scope, step.Unit) step.Next[step.Unit] { return loopx.Break[step.Unit]() }), false},
	} {
		_, err := runPlan(t, observe.Flight(10), c.plan, step.Unit{})
		if got := recorded(err) != nil; got != c.want {
			t.Errorf("%s: a record: %v, want %v: %+v", c.name, got, c.want, err)
		}
	}
}

// The record isn't attached to the declared error, which all runs share.
func TestFlightLeavesDeclaredErrors(t *testing.T) {
	declared := fault.New(fault.Timeout, "too late")
	_, err := runPlan(t, observe.Flight(10), plantest.Named("", declared), step.Unit{})
	if declared.Record != nil || recorded(err) == nil {
		t.Errorf("the declared error has %v, the run's %v", declared.Record, recorded(err))
	}
}

// Runs one after the other have their own records.
func TestFlightOfManyRuns(t *testing.T) {
	l := tooltest.New()
	ctx := observe.With(t.Context(), observe.Flight(4))
	for i := range 100 {
		name := fmt.Sprint("n", i)
		a := flow.Start(ctx, l, plantest.Named(name, fault.Timeout), step.Unit{})
		b := flow.Start(ctx, l, plantest.Named("other", nil), step.Unit{})
		l.Run()
		if _, err := b.Result(); err != nil {
			t.Fatal(err)
		}
		_, err := a.Result()
		want := []string{"0s step start 0 " + name, "0s raised 0 " + name + ": Timeout", "0s step end 0 " + name + ": Timeout"}
		if diff := cmp.Diff(want, recorded(err)); diff != "" {
			t.Fatalf("run %d (-want +got):\n%s", i, diff)
		}
	}
}

// An iteration of a plain step makes four allocations at most.
func TestAllocsOfFlight(t *testing.T) {
	if racetest.Enabled {
		t.Skip("the race detector allocates")
	}
	ctx := observe.With(t.Context(), observe.Flight(64))
	perRun := func(turns int) float64 {
		plan := loopx.Repeat(turns, step.Map(func(loopx.Iteration[step.Unit]) step.Unit { return step.Unit{} }))
		return testing.AllocsPerRun(100, func() { _, _ = flow.Run(ctx, plan, step.Unit{}) })
	}
	if perTurn := (perRun(1100) - perRun(100)) / 1000; perTurn > 4 {
		t.Errorf("%v allocations a turn", perTurn)
	} else {
		t.Logf("%v allocations a turn", perTurn)
	}
}
