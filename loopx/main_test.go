package loopx_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var errTurn = fault.New("Turn", "of a turn")

type recorder struct{ plantest.Recorder }

// recordError returns s with a handler that records the code of the error and gives no answer.
func (rec *recorder) recordError(s step.Step[int, int]) step.Step[int, int] {
	return flow.Catch(s, func(_ step.Scope, err error) step.Next[int] {
		rec.Recordf("handler: %s", fault.CodeOf(err))
		return step.Unwind[int]()
	})
}

func (rec *recorder) withHook(s step.Step[int, int]) step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		as.SetCancel(func() { rec.Recordf("hook") })
		step.StackCleanup(as, func(*int) { rec.Recordf("cleanup") })
		return step.Into(as, s, in)
	})
}
