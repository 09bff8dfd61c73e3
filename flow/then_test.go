package flow_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func cancelled(t *testing.T, s step.Step[none, none]) error {
	t.Helper()
	l := tooltest.New()
	r := flow.Start(t.Context(), l, s, none{})
	l.Run()
	r.Cancel(nil)
	l.Run()
	_, err := r.Result()
	return err
}

func TestThen(t *testing.T) {
	t.Run("success passes the value on", func(t *testing.T) {
		plantest.WantResult(t, flow.Then(step.Map(strconv.Itoa), step.Map(func(s string) int { return len(s) })), 12345, 5)
	})
	t.Run("error: the second body isn't called", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, flow.Then(rec.failing("first", errBad), rec.step("second")), none{})
		plantest.WantCode(t, err, "Bad")
		rec.Want(t, "first")
	})
	t.Run("cancel: the second body isn't called", func(t *testing.T) {
		var rec recorder
		err := cancelled(t, flow.Then(rec.waiting("hook"), rec.step("second")))
		plantest.WantCode(t, err, fault.Cancelled)
		rec.Want(t, "hook")
	})
	t.Run("timeout: the second body isn't called", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, flow.Timeout(time.Second, flow.Then(rec.waiting("hook"), rec.step("second"))), none{})
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "hook")
	})
	t.Run("is associative and adds no level", func(t *testing.T) {
		path := step.Func(func(as step.Scope, before string) (string, error) { return before + " " + as.Path(), nil })
		const want = " 0 1 2"
		plantest.WantResult(t, flow.Then(flow.Then(path, path), path), "", want)
		plantest.WantResult(t, flow.Then(path, flow.Then(path, path)), "", want)
		plantest.WantResult(t, flow.Chain(path, path, path), "", want)
	})
	t.Run("one stage many times in one plan", func(t *testing.T) {
		double := step.Map(func(i int) int { return 2 * i })
		plantest.WantResult(t, flow.Then(flow.Then(double, double), flow.Then(double, double)), 1, 16)
	})
}

func TestChain(t *testing.T) {
	t.Run("no stage passes the input", func(t *testing.T) { plantest.WantResult(t, flow.Chain[int](), 4, 4) })
	t.Run("error: later bodies aren't called", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, flow.Chain(rec.step("1"), rec.failing("2", errBad), rec.step("3")), none{})
		plantest.WantCode(t, err, "Bad")
		rec.Want(t, "1", "2")
	})
	t.Run("takes a copy of its stages", func(t *testing.T) {
		inc := step.Map(func(i int) int { return i + 1 })
		stages := []step.Step[int, int]{inc, inc}
		p := flow.Chain(stages...)
		stages[0] = nil
		plantest.WantResult(t, p, 0, 2)
	})
}
