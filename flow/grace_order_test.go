package flow_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// K4, O7, T1: a step ends at the same time as its grace. The timer that was armed first decides: the step has
// succeeded and is undone, or it is cancelled.
func TestK4StepAndGraceEndTogether(t *testing.T) {
	twice := flow.Then(step.Delay[int](3*oneSecond/2), step.Delay[int](oneSecond/2))
	release := func(s step.Step[int, int]) step.Step[int, int] {
		return flow.Bracket(plantest.Add(0), plantest.Add(0), flow.Then(step.Map(func(e flow.Ended[int, int]) int { return e.Value }), s))
	}
	for name, c := range map[string]struct {
		do     step.Step[int, int]
		undone bool
	}{
		"the step's timer is older":                   {step.Delay[int](2 * oneSecond), true},
		"the timer of the grace is older":             {twice, false},
		"the timer of a release in the step is older": {release(step.Delay[int](2 * oneSecond)), true},
		"it is younger":                               {release(twice), false},
	} {
		t.Run(name, func(t *testing.T) {
			var rec recorder
			loop := tooltest.New()
			run := flow.Start(t.Context(), loop, flow.Grace(oneSecond, flow.Saga(flow.Undo(c.do, rec.passing("undo")))), 1)
			loop.Advance(oneSecond)
			run.Cancel(nil) // at two seconds both the grace and the step end
			loop.Run()
			_, err := run.Result()
			e := plantest.WantCode(t, err, fault.Cancelled)
			if c.undone {
				rec.Want(t, "undo")
			} else {
				rec.Want(t)
			}
			if told := loop.Errors(); (len(e.Secondary) == 0) != c.undone || (len(told) == 0) != c.undone {
				t.Errorf("secondary errors %v, reported %v", e.Secondary, told)
			}
		})
	}
}

// P6: a cancel comes while a race that is decided waits for a branch that has lost. The errors that the race has
// survived come first in Secondary, and then what goes wrong in that branch.
func TestP6SurvivedErrorsComeFirst(t *testing.T) {
	lost := flow.Grace(oneSecond, flow.Shield(step.Delay[int](time.Hour)))
	loop := tooltest.New()
	run := flow.Start(t.Context(), loop, flow.First(lost, failAfter(0, errSecond), flow.Then(step.Delay[int](oneSecond/4), plantest.Add(1))), 1)
	loop.Advance(oneSecond / 2)
	run.Cancel(nil)
	loop.Run()
	_, err := run.Result()
	e := plantest.WantCode(t, err, fault.Cancelled)
	if len(e.Secondary) != 2 || !errors.Is(e.Secondary[0], errSecond) || !errors.Is(e.Secondary[1], fault.CutOff) {
		t.Errorf("secondary errors %v, want the one that was survived and that of the grace", e.Secondary)
	}
}
