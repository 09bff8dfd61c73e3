package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

type pairOf = flow.Pair[int, int]

func TestCarry(t *testing.T) {
	text := step.Map(func(n int) string { return fmt.Sprint(n) })
	t.Run("input and result", func(t *testing.T) {
		plantest.WantResult(t, flow.Carry(text), 7, flow.Pair[int, string]{A: 7, B: "7"})
		plantest.WantResult(t, flow.Carry(flow.Chain(plantest.Add(1), plantest.Add(2), step.Delay[int](oneSecond))), 7, pairOf{A: 7, B: 10})
		plantest.WantResult(t, flow.Carry(flow.Chain[int]()), 7, pairOf{A: 7, B: 7})
	})
	t.Run("in each other, beside each other", func(t *testing.T) {
		first := step.Map(func(p pairOf) int { return p.A })
		plantest.WantResult(t, flow.Carry(flow.Then(flow.Carry(plantest.Add(1)), first)), 7, pairOf{A: 7, B: 7})
		plantest.WantResult(t, flow.Carry(flow.Carry(plantest.Add(1))), 7, flow.Pair[int, pairOf]{A: 7, B: pairOf{A: 7, B: 8}})
		plantest.WantResult(t, flow.Then(flow.Then(flow.Carry(plantest.Add(1)), addPair), flow.Then(flow.Carry(plantest.Add(10)), addPair)), 7, 15+25)
	})
	t.Run("each attempt of a handler, and of a loop, has its own", func(t *testing.T) {
		p := flow.CatchInput(flow.Then(flow.Carry(plantest.Add(1)), step.Func(func(_ step.Scope, p pairOf) (int, error) { return 0, errFirst })),
			func(_ step.Scope, in int, _ error) step.Next[int] { return step.Succeed(in) })
		plantest.WantResult(t, flow.Carry(p), 7, pairOf{A: 7, B: 7})
	})
	t.Run("error: the step fails", func(t *testing.T) {
		_, err := plantest.Run(t, flow.Carry(step.Func(fail)), 7)
		if e := plantest.WantCode(t, err, errFirst.Code); e.Path != "0" {
			t.Errorf("path %q", e.Path)
		}
	})
	t.Run("C1 cancel", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, flow.Carry(rec.waitingInt("left")), 7)
		loop.Step()
		run.Cancel(nil)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
		rec.Want(t, "left")
	})
}

func TestTap(t *testing.T) {
	var rec recorder
	plantest.WantResult(t, flow.Then(flow.Tap(flow.Then(rec.passing("tapped"), step.Map(func(int) string { return "dropped" }))), plantest.Add(1)), 7, 8)
	rec.Want(t, "tapped")
	_, err := plantest.Run(t, flow.Tap(step.Func(fail)), 7)
	plantest.WantCode(t, err, errFirst.Code)
}

func TestCarryIsPartOfThePlan(t *testing.T) {
	var got []string
	for part := range flow.Describe(flow.Then(flow.Carry(plantest.Add(1)), flow.Tap(addPair))).All() {
		got = append(got, strings.TrimSpace(fmt.Sprint(part.Path, " ", part.Kind, " ", part.In)))
	}
	pair := "github.com/futoin-go/asyncsteps/flow.Pair[int,int]"
	if diff := cmp.Diff([]string{"plan int", "0 map int", "1 carry int", "2 map " + pair, "3 tap int"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	plantest.WantCode(t, flow.Carry[int, int](nil).Err(), fault.InvalidRequest)
	plantest.WantCode(t, flow.Tap[int, int](nil).Err(), fault.InvalidRequest)
	named := flow.Describe(flow.Named("both", flow.Carry(plantest.Add(1)))).Holds[0]
	if named.Kind != "group" || named.Name != "both" || len(named.Holds) != 2 {
		t.Errorf("got %+v", named)
	}
}
