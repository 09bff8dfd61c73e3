package engine_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestExpectedSignals(t *testing.T) {
	add := plantest.Add(1)
	decides := step.New(func(step.Scope, int) step.Next[int] { return step.Succeed(1) })
	handler := func(step.Scope, error) step.Next[int] { return step.Unwind[int]() }
	run := flow.AwaitRun(func(context.Context, int) *flow.Running[int] { return nil })
	waits := func(p step.Step[int, int]) func(name string, typ reflect.Type) error {
		d := engine.NewDefinition("w")
		engine.Add(d, "", flow.Of(p))
		if d.Errs != nil {
			t.Fatal(errors.Join(d.Errs...))
		}
		return d.Waits.Expects
	}
	for name, c := range map[string]struct {
		p    step.Step[int, int]
		open bool
	}{
		"a function":                        {add, false},
		"a body that decides":               {decides, true},
		"one with a name":                   {flow.Named("n", decides), true},
		"one inside of others":              {flow.Tap(flow.Timeout(1, flow.Then(add, decides))), true},
		"a handler":                         {flow.Catch(add, handler), true},
		"a handler of several steps":        {flow.Catch(flow.Then(add, add), handler), true},
		"another run":                       {run, true},
		"everything that composes stages":   {flow.Tap(flow.Carry(flow.Shield(flow.First(add, flow.Hedge(1, add, add))))), false},
		"a signal, and a body that decides": {flow.Then(flow.Tap(flow.Then(unit, durable.Signal[string]("known"))), decides), true},
	} {
		if err := waits(c.p)("other", reflect.TypeFor[int]()); (err == nil) != c.open {
			t.Errorf("%s: %v", name, err)
		}
	}
	known := waits(flow.Tap(flow.Then(unit, durable.Signal[string]("known"))))
	for _, c := range []struct {
		name string
		typ  reflect.Type
		want error
	}{
		{"known", reflect.TypeFor[string](), nil},
		{"known", reflect.TypeFor[int](), engine.ErrUnexpectedSignal},
		{"other", reflect.TypeFor[string](), engine.ErrUnexpectedSignal},
	} {
		if err := known(c.name, c.typ); !errors.Is(err, c.want) {
			t.Errorf("%s of type %v: %v", c.name, c.typ, err)
		}
	}
}

var unit = step.Map(func(int) struct{} { return struct{}{} })
