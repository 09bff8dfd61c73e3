//go:build go1.27

package flow_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMethodsAreTheFunctions(t *testing.T) {
	s := plantest.Add(1)
	two := flow.Then(s, s)
	handler := func(step.Scope, error) step.Next[int] { return step.Unwind[int]() }
	hook := func(step.Scope) {}
	g := new(tool.Group)
	length := step.Map(func(int) string { return "" })

	for name, c := range map[string]struct{ method, function *flow.Tree }{
		"Then":     {two.Then(length).Describe(), flow.Describe(flow.Then(two, length))},
		"Catch":    {two.Catch(handler).Describe(), flow.Describe(flow.Catch(two, handler))},
		"Timeout":  {two.Timeout(1).Describe(), flow.Describe(flow.Timeout(1, two))},
		"OnCancel": {two.OnCancel(hook).Describe(), flow.Describe(flow.OnCancel(two, hook))},
		"Shield":   {two.Shield().Describe(), flow.Describe(flow.Shield(two))},
		"Saga":     {two.Saga().Describe(), flow.Describe(flow.Saga(two))},
		"Tap":      {two.Tap().Describe(), flow.Describe(flow.Tap(two))},
		"Grace":    {two.Grace(1).Describe(), flow.Describe(flow.Grace(1, two))},
		"Linger":   {two.Linger(1).Describe(), flow.Describe(flow.Linger(1, two))},
		"On":       {two.On(g).Describe(), flow.Describe(flow.On(g, two))},
		"Named":    {two.Named("n").Describe(), flow.Describe(flow.Named("n", two))},
		"Call":     {two.Call().Describe(), flow.Describe(flow.Call(two))},
	} {
		// the build sites are equal too, because both calls are on one line here
		for tree := range c.method.All() {
			tree.Site.Func = ""
		}
		for tree := range c.function.All() {
			tree.Site.Func = ""
		}
		if diff := cmp.Diff(c.function, c.method); diff != "" {
			t.Errorf("%s (-function +method):\n%s", name, diff)
		}
	}
}

func TestMethodsRun(t *testing.T) {
	rec := new(recorder)
	p := flow.Of(rec.waiting("inner")).
		OnCancel(func(as step.Scope) { rec.Recordf("hook at %s", as.Path()) }).
		Timeout(time.Second).
		Catch(func(_ step.Scope, err error) step.Next[none] {
			rec.Recordf("handler: %v", errors.Is(err, fault.Timeout))
			return step.Succeed(none{})
		}).
		Then(rec.step("next"))

	l := tooltest.New()
	r := p.Start(t.Context(), l, none{})
	l.Run()
	if _, err := r.Result(); err != nil {
		t.Errorf("failed: %v", err)
	}
	rec.Want(t, "inner", "hook at 0/0", "handler: true", "next")
	if v, err := flow.Of(plantest.Add(1)).Run(t.Context(), 1); v != 2 || err != nil {
		t.Errorf("got %v, %v", v, err)
	}
}

func TestMethodsMisused(t *testing.T) {
	var zero flow.Plan[int, int]
	good := flow.Of(plantest.Add(1))
	for name, c := range map[string]struct {
		err  error
		info string
	}{
		"Then of zero":     {zero.Then(plantest.Add(1)).Err(), "Then: the plan is the zero Plan"},
		"Then nil":         {good.Then(step.Step[int, int](nil)).Err(), "Then: the next stage is nil"},
		"Catch of zero":    {zero.Catch(func(step.Scope, error) step.Next[int] { return step.Succeed(0) }).Err(), "Catch: the plan is the zero Plan"},
		"Catch nil":        {good.Catch(nil).Err(), "Catch: the handler is nil"},
		"Timeout of zero":  {zero.Timeout(1).Err(), "Timeout: the plan is the zero Plan"},
		"Timeout 0":        {good.Timeout(0).Err(), "Timeout: the limit must be positive, got 0s"},
		"OnCancel of zero": {zero.OnCancel(func(step.Scope) {}).Err(), "OnCancel: the plan is the zero Plan"},
		"OnCancel nil":     {good.OnCancel(nil).Err(), "OnCancel: the hook is nil"},
		"Named of zero":    {zero.Named("n").Err(), "Named n: the plan is the zero Plan"},
		"Call of zero":     {zero.Call().Err(), "Call: the plan is the zero Plan"},
		"Run of zero":      {second(zero.Run(context.Background(), 1)), "Run: the plan is the zero Plan"},
		"Start of zero":    {second(zero.Start(context.Background(), tooltest.New(), 1).Result()), "Start: the plan is the zero Plan"},
		"Start on nothing": {second(good.Start(context.Background(), nil, 1).Result()), "Start: the loop is nil, or the zero one"},
	} {
		e, ok := errors.AsType[*fault.Error](c.err)
		if !ok || e.Code != fault.InvalidRequest || e.Info != c.info {
			t.Errorf("%s: %v", name, c.err)
			continue
		}
		if !strings.HasPrefix(e.Site.String(), "plan_go127_test.go:") {
			t.Errorf("%s: built at %v", name, e.Site)
		}
	}
}

func second[T any](_ T, err error) error { return err }
