package flow_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

// The error of a run has the path where it was raised, and the levels that it passed on its way.
func TestErrorPlace(t *testing.T) {
	fails := flow.Named("load", step.Func(func(step.Scope, none) (none, error) { return none{}, errBad }))
	id := step.Map(func(n none) none { return n })
	replace := func(step.Scope, error) step.Next[none] { return step.Fail[none](fault.Code("Other")) }
	marks := cmpopts.IgnoreFields(fault.Frame{}, "Site")

	for _, c := range []struct {
		name  string
		p     step.Step[none, none]
		path  string
		step  string
		trail []fault.Frame
	}{
		{"a step alone", fails, "0", "load", []fault.Frame{{Path: "0", Name: "load", Kind: "func"}}},
		{"later in a level", flow.Chain[none](id, id, fails), "2", "load", []fault.Frame{{Path: "2", Name: "load", Kind: "func"}}},
		{"below a silent handler", flow.Chain[none](id, flow.Catch(flow.Chain[none](id, fails), unwind)), "1/1", "load", []fault.Frame{
			{Path: "1/1", Name: "load", Kind: "func"},
			{Path: "1", Kind: "catch", What: fault.Silent},
		}},
		{"its own handler is silent", flow.Catch(fails, unwind), "0", "load", []fault.Frame{
			{Path: "0", Name: "load", Kind: "func", What: fault.Silent},
		}},
		{"replaced further out", flow.Named("outer", flow.Catch(flow.Chain[none](id, fails), replace)), "0", "outer", []fault.Frame{
			{Path: "0/1", Name: "load", Kind: "func"},
			{Path: "0", Name: "outer", Kind: "catch", What: fault.Replaced},
		}},
		{"sub-steps of a handler", flow.Catch(fails, func(as step.Scope, _ error) step.Next[none] {
			return step.Into(as, flow.Chain[none](id, fails), none{})
		}), "0/1", "load", []fault.Frame{
			{Path: "0/1", Name: "load", Kind: "func"},
			{Path: "0", Name: "load", Kind: "func", What: fault.Spent},
		}},
		{"in a branch", flow.Then(id, flow.Then(flow.Par[none, none](id, flow.Chain[none](id, fails)), flow.Value[[]none](none{}))), "1/par.1/1", "load", []fault.Frame{
			{Path: "1/par.1/1", Name: "load", Kind: "func"},
			{Path: "1", Kind: "par"},
		}},
		{"called and limited", flow.Call(flow.Timeout(time.Hour, fails)), "0/0/0", "load", []fault.Frame{
			{Path: "0/0/0", Name: "load", Kind: "func"},
			{Path: "0/0", Kind: "timeout"},
			{Path: "0", Kind: "call"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := plantest.Run(t, c.p, none{})
			e, ok := errors.AsType[*fault.Error](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if e.Path != c.path || e.Name != c.step {
				t.Errorf("raised at %s %q, want %s %q", e.Path, e.Name, c.path, c.step)
			}
			if diff := cmp.Diff(c.trail, e.Unwind, marks); diff != "" {
				t.Errorf("trail (-want +got):\n%s", diff)
			}
			for _, m := range append(e.Unwind, fault.Frame{Path: e.Path, Site: e.Site}) {
				if !strings.HasPrefix(m.Site.String(), "rules_errors_place_test.go:") {
					t.Errorf("site of %s is %v", m.Path, m.Site)
				}
			}
		})
	}
}
