package flow_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

// E3: if several branches fail at once, the error_info of each handler is that of its own error, wherever the run lets
// others go on between the error and its handler.
func TestE3HandlersOfBranches(t *testing.T) {
	mistaken := 0
	raised := "" // the error that was raised last
	branch := func(name string) step.Step[none, none] {
		bad := fault.New("Bad", name)
		fails := flow.Of(step.Func(func(step.Scope, none) (none, error) {
			raised = name
			return none{}, bad
		}))
		for range 3 {
			fails = flow.Named("level", flow.Chain(fails, step.Map(func(n none) none { return n })))
		}
		return flow.Catch(fails, func(as step.Scope, err error) step.Next[none] {
			info, _ := as.State().Get(step.ErrorInfo)
			v, _ := as.State().Get(step.LastException)
			if last, _ := v.(error); info != name || !errors.Is(last, bad) || !errors.Is(err, bad) {
				mistaken++
				t.Logf("the handler of %s is given %v, finds error_info %v and last_exception %v", name, err, info, v)
			}
			return step.Succeed(none{})
		})
	}
	pass := step.Map(func(n none) none { return n })
	for before := range 200 {
		mistaken = 0
		last := ""
		plan := flow.Then(
			flow.Then(flow.Chain(slices.Repeat([]step.Step[none, none]{pass}, before)...), flow.Par(branch("A"), branch("B"))),
			step.Func(func(as step.Scope, _ []none) (none, error) {
				info, _ := as.State().Get(step.ErrorInfo)
				last, _ = info.(string)
				return none{}, nil
			}))
		if _, err := plantest.Run(t, plan, none{}); err != nil {
			t.Fatalf("after %d steps: %v", before, err)
		}
		if mistaken > 0 {
			t.Fatalf("after %d steps %d handlers see another branch's error", before, mistaken)
		}
		if last != raised {
			t.Fatalf("after %d steps error_info stays %q, and %q was raised last", before, last, raised)
		}
	}
}
