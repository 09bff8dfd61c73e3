package flow_test

import (
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// derived is a step of a user's own type.
type derived[In, Out any] struct{ step.Step[In, Out] }

// A stage that is a nil pointer, or embeds one or a nil step, is what a nil stage is: an error of the plan, which names the
// constructor.
func TestStageBehindANilPointer(t *testing.T) {
	for name, nothing := range map[string]step.Step[int, int]{
		"nil *Plan":                (*flow.Plan[int, int])(nil),
		"step that embeds none":    derived[int, int]{},
		"step that embeds a *Plan": derived[int, int]{(*flow.Plan[int, int])(nil)},
	} {
		id := step.Map(func(i int) int { return i })
		keep := func(step.Scope, error) step.Next[int] { return step.Unwind[int]() }
		numbers := stream.Seq[int]()
		for what, err := range map[string]error{
			"Of":          flow.Of(nothing).Err(),
			"Then: the f": flow.Then(nothing, id).Err(),
			"Then: the s": flow.Then(id, nothing).Err(),
			"Chain":       flow.Chain(id, nothing).Err(),
			"Par":         flow.Par(id, nothing).Err(),
			"Par2":        flow.Par2(id, nothing).Err(),
			"Par3":        flow.Par3(id, nothing, id).Err(),
			"To: ":        flow.ParInto(flow.To(nothing, func(*int, int) {})).Err(),
			"ParEach":     flow.ParEach(1, nothing).Err(),
			"First":       flow.First(id, nothing).Err(),
			"Some":        flow.Some(1, id, nothing).Err(),
			"Race":        flow.Race(nothing, id).Err(),
			"Hedge":       flow.Hedge(time.Second, id, nothing).Err(),
			"Tasks":       flow.NewTasks[int, int]("t").All(1, nothing).Err(),
			"Node":        flow.Graph(func(in flow.Ref[int]) flow.Ref[int] { return flow.Node(in, nothing) }).Err(),
			"Catch":       flow.Catch(nothing, keep).Err(),
			"OrElse":      flow.OrElse(nothing, 1).Err(),
			"Timeout":     flow.Timeout(1, nothing).Err(),
			"OnCancel":    flow.OnCancel(nothing, func(step.Scope) {}).Err(),
			"Named x":     flow.Named("x", nothing).Err(),
			"Call":        flow.Call(nothing).Err(),
			"Try":         flow.Try(nothing).Err(),
			"Carry":       flow.Carry(nothing).Err(),
			"Tap":         flow.Tap(nothing).Err(),
			"Shield":      flow.Shield(nothing).Err(),
			"Saga":        flow.Saga(nothing).Err(),
			"Undo: do":    flow.Undo(nothing, step.Map(func(int) step.Unit { return step.Unit{} })).Err(),
			"Grace":       flow.Grace(1, nothing).Err(),
			"Linger":      flow.Linger(1, nothing).Err(),
			"On":          flow.On(new(tool.Group), nothing).Err(),
			"CopyFrom":    flow.CopyFrom(flow.Model[int, int]{Steps: nothing}).Err(),
			"Loop":        loopx.Loop(nothing).Err(),
			"Labelled":    loopx.Labelled(loopx.NewLabel[int]("x"), nothing).Err(),
			"retry.Of":    retry.Of(retry.Policy{}, nothing).Err(),
			"Sync":        syncx.Sync(syncx.NewMutex(1, 0), nothing).Err(),
			"Memo":        share.NewMemo(share.MemoPolicy{}, nothing).Get().Err(),
			"through":     stream.Collect(stream.Through(numbers, stream.Bound{Limit: 1}, nothing)).Err(),
		} {
			if e := plantest.HasCode(t, err, fault.InvalidRequest); !strings.Contains(e.Info, what) && what != "Of" {
				t.Errorf("%s: %s says %q", name, what, e.Info)
			}
		}
		_, ran := flow.Run(t.Context(), nothing, 1)
		_, started := flow.Start(t.Context(), tooltest.New(), nothing, 1).Result()
		for what, err := range map[string]error{"Run": ran, "Start": started} {
			if e := plantest.HasCode(t, err, fault.InvalidRequest); !strings.HasPrefix(e.Info, what+": the stage is nil") {
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

// A stage that is given to step.Into while the plan runs fails the step that names it.
func TestIntoOfANilPointer(t *testing.T) {
	var nothing *flow.Plan[int, int]
	for at, p := range map[string]flow.Plan[int, int]{
		"0":     flow.Of(step.New(func(as step.Scope, i int) step.Next[int] { return step.Into(as, nothing, i) })),
		"0/0/0": retry.OfAttempt(retry.Policy{Tries: 1}, func(int) step.Step[int, int] { return nothing }),
	} {
		_, err := plantest.Run(t, p, 1)
		if e := plantest.HasCode(t, err, fault.InvalidRequest); !strings.Contains(e.Info, "Into was given a nil stage") || e.Path != at {
			t.Errorf("%s: ended with %v", at, e)
		}
	}
}

// Start refuses loops that aren't any.
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
		if e := plantest.HasCode(t, err, fault.InvalidRequest); !strings.Contains(e.Info, "the loop is nil") {
			t.Errorf("%s: ended with %v", name, err)
		}
	}
}
