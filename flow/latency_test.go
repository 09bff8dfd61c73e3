package flow_test

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// takesInput waits for as many milliseconds as its input says, and returns the input.
var takesInput = step.DelayBy(func(_ step.Scope, ms int) time.Duration { return time.Duration(ms) * time.Millisecond })

// Of calls that take 1 to 100 ms, those above 90 are slow.
func TestHedgeSlowLearns(t *testing.T) {
	latency := flow.NewLatency(0.9, time.Second)
	calls := 0
	call := flow.Then(step.Map(func(ms int) int { calls++; return ms }), takesInput)
	plan := flow.HedgeSlow(latency, call, call)
	loop := tooltest.New()
	for i := range 256 {
		run := flow.Start(t.Context(), loop, plan, i*37%100+1)
		loop.Run()
		if _, err := plantest.Result(t, run); err != nil {
			t.Fatal(err)
		}
		if i == 30 && latency.Slow() != time.Second {
			t.Errorf("after 31 calls: %v", latency.Slow())
		}
	}
	if got := latency.Slow(); got < 89*time.Millisecond || got > 92*time.Millisecond {
		t.Errorf("slow is %v", got)
	}
	first := calls
	for i := range 100 {
		flow.Start(t.Context(), loop, plan, i*37%100+1)
		loop.Run()
	}
	if twice := calls - first - 100; twice < 8 || twice > 11 {
		t.Errorf("%d of 100 calls were made twice", twice)
	}
	// now all calls take 900 ms: the delay follows within a window
	for range 256 {
		flow.Start(t.Context(), loop, plan, 900)
		loop.Run()
	}
	if got := latency.Slow(); got < 900*time.Millisecond {
		t.Errorf("slow is %v when all calls take 900 ms", got)
	}
}

// Calls that fail or are cancelled aren't measured, and one that a later branch has won is.
func TestHedgeSlowMeasures(t *testing.T) {
	latency := flow.NewLatency(0.5, 100*time.Millisecond)
	stuck := later(time.Hour, 1)
	loop := tooltest.New()
	runs := func(n int, plan flow.Plan[int, int], cancel bool) {
		for range n {
			run := flow.Start(t.Context(), loop, plan, 1)
			if cancel {
				loop.Advance(time.Millisecond)
				run.Cancel(nil)
			}
			loop.Run()
		}
	}
	runs(31, flow.HedgeSlow(latency, stuck, later(50*time.Millisecond, 1)), false)
	runs(40, flow.HedgeSlow(latency, failAfter(time.Millisecond, errFirst), failAfter(time.Millisecond, errSecond)), false)
	runs(40, flow.HedgeSlow(latency, stuck, stuck), true)
	if got := latency.Slow(); got != 100*time.Millisecond {
		t.Errorf("31 calls were measured: slow is %v", got)
	}
	runs(1, flow.HedgeSlow(latency, stuck, later(50*time.Millisecond, 1)), false)
	if got := latency.Slow(); got != 150*time.Millisecond {
		t.Errorf("32 calls were measured: slow is %v", got)
	}
}

// A run of flow.Run gets its loop when its first branch waits. The clock of that loop began at another time than the
// clock that was read before.
func TestHedgeSlowMeasuresRunsWithoutALoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		latency := flow.NewLatency(0.5, time.Second)
		plan := flow.HedgeSlow(latency, takesInput, takesInput)
		for range 32 {
			if _, err := flow.Run(t.Context(), plan, 20); err != nil {
				t.Fatal(err)
			}
		}
		if got := latency.Slow(); got != 20*time.Millisecond {
			t.Errorf("calls take 20 ms, and slow is %v", got)
		}
	})
}

func TestHedgeSlowIsNotWellFormed(t *testing.T) {
	for want, plan := range map[string]flow.Plan[int, int]{
		"is nil":                         flow.HedgeSlow(nil, takesInput),
		"between 0 and 1, got 0":         flow.HedgeSlow(new(flow.Latency), takesInput),
		"between 0 and 1, got 1":         flow.HedgeSlow(flow.NewLatency(1, time.Second), takesInput),
		"between 0 and 1, got NaN":       flow.HedgeSlow(flow.NewLatency(math.NaN(), time.Second), takesInput),
		"must be positive, got 0s":       flow.HedgeSlow(flow.NewLatency(0.5, 0), takesInput),
		"there is no branch":             flow.HedgeSlow[int, int](flow.NewLatency(0.5, time.Second)),
		"HedgeSlow: a branch is nil":     flow.HedgeSlow(flow.NewLatency(0.5, time.Second), takesInput, nil),
		"initial time must be positive,": flow.HedgeSlow(flow.NewLatency(0.5, -1), takesInput),
	} {
		err := plan.Err()
		if fault.CodeOf(err) != fault.InvalidRequest && fault.CodeOf(err) != fault.InternalError || !strings.Contains(err.Error(), want) {
			t.Errorf("%q isn't in %v", want, err)
		}
		if _, failed := flow.Run(t.Context(), plan, 1); failed == nil {
			t.Error("the plan runs")
		}
	}
}

func TestHedgeSlowAllocatesNothing(t *testing.T) {
	if racetest.Enabled {
		t.Skip("sync.Pool drops items at random under the race detector")
	}
	plan := flow.HedgeSlow(flow.NewLatency(0.5, time.Hour), plantest.Add(1), plantest.Add(1))
	if n := testing.AllocsPerRun(1000, func() { _, _ = flow.Run(t.Context(), plan, 1) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
