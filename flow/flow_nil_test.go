package flow_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/combinatortest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type derived[In, Out any] struct{ step.Step[In, Out] }

// A stage that is a nil pointer, or embeds one or a nil step, is reported like a nil stage.
func TestStageBehindANilPointer(t *testing.T) {
	for name, nothing := range map[string]step.Step[int, int]{
		"nil *Plan":                (*flow.Plan[int, int])(nil),
		"step that embeds none":    derived[int, int]{},
		"step that embeds a *Plan": derived[int, int]{(*flow.Plan[int, int])(nil)},
	} {
		id := step.Map(func(i int) int { return i })
		refused := func(what string, err error) {
			t.Helper()
			if e := plantest.WantCode(t, err, fault.InvalidRequest); !strings.Contains(e.Info, what) && what != "Of" {
				t.Errorf("%s: %s says %q", name, what, e.Info)
			}
		}
		for _, c := range combinatortest.All {
			for i := range c.Stages {
				stages := slices.Repeat([]step.Step[int, int]{id}, c.Stages)
				stages[i] = nothing
				refused(c.Name, flow.Of(c.Make(stages...)).Err())
			}
		}
		refused("On", flow.On(new(tool.Group), nothing).Err())
		refused("Loop", loopx.Loop(nothing).Err())
		refused("Labelled", loopx.Labelled(loopx.NewLabel[int]("x"), nothing).Err())
		_, ran := flow.Run(t.Context(), nothing, 1)
		_, started := flow.Start(t.Context(), tooltest.New(), nothing, 1).Result()
		for what, err := range map[string]error{"Run": ran, "Start": started} {
			if e := plantest.WantCode(t, err, fault.InvalidRequest); !strings.HasPrefix(e.Info, what+": the stage is nil") {
				t.Errorf("%s: %s says %q", name, what, e.Info)
			}
		}
		if got, want := flow.Describe(nothing).Digest, flow.Describe[int, int](nil).Digest; got != want {
			t.Errorf("%s: the digest is %s, that of a nil stage is %s", name, got, want)
		}
		for range flow.Bodies(nothing) {
			t.Errorf("%s: Bodies gives one", name)
		}
	}
}

// A nil stage that is given to step.Into fails the step whose body gave it.
func TestIntoOfANilPointer(t *testing.T) {
	var nothing *flow.Plan[int, int]
	for at, p := range map[string]flow.Plan[int, int]{
		"0":     flow.Of(step.New(func(as step.Scope, i int) step.Next[int] { return step.Into(as, nothing, i) })),
		"0/0/0": retry.OfAttempt(retry.Policy{Tries: 1}, func(int) step.Step[int, int] { return nothing }),
	} {
		_, err := plantest.Run(t, p, 1)
		if e := plantest.WantCode(t, err, fault.InvalidRequest); !strings.Contains(e.Info, "Into was given a nil stage") || e.Path != at {
			t.Errorf("%s: ended with %v", at, e)
		}
	}
}

func TestStartWithoutALoop(t *testing.T) {
	id := step.Map(func(i int) int { return i })
	for name, none := range map[string]tool.Tool{
		"nil":                nil,
		"nil *Loop":          (*tool.Loop)(nil),
		"nil *Manual":        (*tool.Manual)(nil),
		"nil *tooltest.Loop": (*tooltest.Loop)(nil),
		"zero Loop":          new(tool.Loop),
		"zero Manual":        new(tool.Manual),
		"zero tooltest.Loop": new(tooltest.Loop),
	} {
		_, err := flow.Start(t.Context(), none, id, 1).Result()
		if e := plantest.WantCode(t, err, fault.InvalidRequest); !strings.Contains(e.Info, "the loop is nil") {
			t.Errorf("%s: ended with %v", name, err)
		}
	}
}
