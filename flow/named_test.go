package flow_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestNamed(t *testing.T) {
	name := step.Func(func(as step.Scope, before string) (string, error) {
		for _, m := range as.Trace() {
			before += " " + m.Path + ":" + closureLine.ReplaceAllString(m.Name, "")
		}
		return before, nil
	})
	t.Run("a single step gets the name", func(t *testing.T) { plantest.WantResult(t, flow.Named("n", name), "", " 0:n") })
	t.Run("the outer name counts", func(t *testing.T) {
		plantest.WantResult(t, flow.Named("outer", flow.Named("inner", name)), "", " 0:outer")
	})
	t.Run("several steps get one that holds them", func(t *testing.T) {
		plantest.WantResult(t, flow.Named("n", flow.Chain(name, name)), "", " 0/0:TestNamed 0:n 0/1:TestNamed 0:n")
	})
	t.Run("the original keeps its own", func(t *testing.T) {
		plantest.WantResult(t, flow.Chain(flow.Named("n", name), name), "", " 0:n 1:TestNamed")
	})
	t.Run("error names it", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, flow.Named("culprit", rec.failing("fails", errBad)), none{})
		if e := plantest.WantCode(t, err, "Bad"); e.Name != "culprit" {
			t.Errorf("named %q", e.Name)
		}
	})
	t.Run("cancel and timeout pass through", func(t *testing.T) {
		var rec recorder
		plantest.WantCode(t, cancelled(t, flow.Named("n", rec.waiting("hook"))), fault.Cancelled)
		_, err := plantest.Run(t, flow.Named("slow", flow.Timeout(time.Second, rec.waiting("hook"))), none{})
		if e := plantest.WantCode(t, err, fault.Timeout); e.Name != "slow" || e.Info != "step 0 slow took longer than 1s" {
			t.Errorf("ended with %+v", e)
		}
		rec.Want(t, "hook", "hook")
	})
	t.Run("the text of an error has the nearest name", func(t *testing.T) {
		var rec recorder
		slow, quick := flow.Timeout(time.Second, rec.waiting("hook")), step.Map(func(n none) none { return n })
		for _, p := range []flow.Plan[none, none]{
			flow.Named("backup", flow.Chain(quick, flow.Chain(quick, slow))),
			flow.Named("outer", flow.Chain(quick, flow.Named("backup", flow.Then(flow.Par(flow.Chain(quick, slow), quick), step.Map(func([]none) none { return none{} }))))),
			flow.Named("backup", flow.Chain(quick, flow.Of(step.New(func(as step.Scope, _ none) step.Next[none] { return step.Into(as, slow, none{}) })))),
		} {
			_, err := plantest.Run(t, p, none{})
			if e := plantest.WantCode(t, err, fault.Timeout); e.Info != "step \"backup\" › "+e.Path+" took longer than 1s" {
				t.Errorf("ended with %+v", e)
			}
		}
	})
}
