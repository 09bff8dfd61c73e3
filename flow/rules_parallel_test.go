package flow_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// A parallel step succeeds when its branches have; without branches it succeeds at once.
func TestP2SuccessIsThatOfAll(t *testing.T) {
	plantest.WantResult(t, sum(flow.Par[int, int]()), 5, 0)
	loop, run := plantest.Start(t, sum(flow.Par(step.Delay[int](time.Second), plantest.Add(1), step.Delay[int](time.Minute))), 5)
	loop.Advance(time.Minute - 1)
	if _, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
		t.Errorf("ended before its last branch: %v", err)
	}
	loop.Advance(1)
	if got, err := plantest.Result(t, run); got != 16 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}

// The branch that fails first ends by itself. Then the others are cancelled in their order, those not begun never
// begin, and the error is raised at the parallel step with the errors met meanwhile.
func TestP3FirstErrorEndsTheOthers(t *testing.T) {
	var rec recorder
	unclean := step.New(func(as step.Scope, _ int) step.Next[int] {
		as.SetCancel(func() { rec.Recordf("unclean"); panic("a bad hook") })
		return step.Wait[int](as, nil)
	})
	failing := rec.recordError("branch", failAfter(time.Second, errFirst))
	each := flow.Then(
		step.Map(func(int) []int { return []int{0, 1, 2, 3} }),
		flow.ParEach(3, step.New(func(as step.Scope, i int) step.Next[int] {
			return step.Into(as, []step.Step[int, int]{rec.waitingInt("stalls"), failing, unclean, rec.passing("never")}[i], i)
		})))
	_, err := plantest.Run(t, rec.recordError("outside", sum(each)), 0)
	rec.Want(t, "branch: First", "stalls", "unclean", "outside: First")
	e := plantest.WantCode(t, err, "First")
	if !errors.Is(err, errFirst) || len(e.Secondary) != 1 || fault.CodeOf(e.Secondary[0]) != fault.InternalError {
		t.Errorf("ended with %+v", err)
	}
}

// A branch inherits neither the place in a mutex of the flow around it nor that of its sibling.
func TestP4BranchIsAFlowOfItsOwn(t *testing.T) {
	mutex := syncx.NewMutex(1, -1)
	section := syncx.Sync(mutex, step.Delay[int](time.Second))
	t.Run("siblings wait for each other", func(t *testing.T) {
		loop, run := plantest.Start(t, sum(flow.Par(section, section)), 1)
		loop.Run()
		if _, err := plantest.Result(t, run); err != nil || loop.Now() != 2*time.Second {
			t.Errorf("after %v: %v", loop.Now(), err)
		}
	})
	t.Run("a sub-step enters again, a branch can't", func(t *testing.T) {
		plantest.WantResult(t, syncx.Sync(mutex, section), 1, 1)
		_, err := plantest.Run(t, syncx.Sync(mutex, sum(flow.Par(section))), 1)
		plantest.WantCode(t, err, syncx.Deadlock)
	})
}

// O7: a branch fails when a step in another branch has just succeeded. The error ends the other branch before its next
// step begins.
func TestO7ErrorOfABranchComesBeforeTheNextStep(t *testing.T) {
	for name, before := range map[string]time.Duration{"the first turn": 0, "a later turn": time.Second} {
		var rec recorder
		succeeds := flow.Then(flow.Par(plantest.Add(1)), step.Map(func([]int) int { rec.Recordf("next step"); return 0 }))
		var p step.Step[int, int] = sum(flow.Par(succeeds, sum(flow.Par(step.Func(fail)))))
		if before > 0 {
			p = flow.Then(step.Delay[int](before), p)
		}
		t.Run(name, func(t *testing.T) {
			_, err := plantest.Run(t, p, 1)
			plantest.WantCode(t, err, errFirst.Code)
			rec.Want(t)
		})
	}
}
