package retry_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var errDown = fault.New(fault.ConnectError, "server is down")

type recorder struct{ plantest.Recorder }

func timed[In, Out any](t *testing.T, s step.Step[In, Out], in In) (Out, time.Duration, error) {
	t.Helper()
	l, run := plantest.Start(t, s, in)
	out, err := plantest.Wait(t, l, run)
	return out, l.Now(), err
}

// flaky returns a step that fails with errs, one after the other, and then succeeds.
func flaky(errs ...error) step.Step[int, int] {
	calls := 0
	return step.Func(func(_ step.Scope, in int) (int, error) {
		if calls++; calls <= len(errs) {
			return 0, errs[calls-1]
		}
		return in, nil
	})
}

func failing(calls *int) step.Step[int, int] {
	return step.Func(func(step.Scope, int) (int, error) {
		*calls++
		return 0, errDown
	})
}

func (rec *recorder) withHook(s step.Step[int, int]) step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		n := as.Attempt()
		as.SetCancel(func() { rec.Recordf("hook %d", n) })
		step.StackCleanup(as, func(*int) { rec.Recordf("cleanup %d", n) })
		rec.Recordf("attempt %d", n)
		return step.Into(as, s, in)
	})
}
