package share_test

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type requestKey struct{}

// A run that has got the result of a load doesn't retain the context of the run that began the load.
func TestAskersKeepNoLoads(t *testing.T) {
	parked := step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
	anyway := func(s step.Step[int, int]) step.Step[int, int] {
		return flow.Catch(s, func(step.Scope, error) step.Next[int] { return step.Succeed(0) })
	}
	memo := func(load step.Step[int, int]) flow.Plan[int, int] {
		return share.NewMemo(share.MemoPolicy{}, load).Get()
	}
	batch := func(load step.Step[int, int]) flow.Plan[int, int] {
		return share.NewBatch(share.BatchPolicy{}, flow.Then(step.Map(func(keys []int) int { return keys[0] }),
			flow.Then(load, step.Map(func(v int) []share.Answer[int] { return []share.Answer[int]{{Value: v}} })))).Get()
	}
	for name, get := range map[string]func(load step.Step[int, int]) flow.Plan[int, int]{"memo": memo, "batch": batch} {
		for end, load := range map[string]step.Step[int, int]{
			"value": step.Delay[int](ms),
			"error": flow.Then(step.Delay[int](ms), step.Func(func(step.Scope, int) (int, error) { return 0, errDown })),
		} {
			t.Run(name+"/"+end, func(t *testing.T) {
				loop := tooltest.New()
				plan := get(load)
				request := new([1 << 16]byte)
				ref := weak.Make(request)
				flow.Start(context.WithValue(t.Context(), requestKey{}, request), loop, plan, 1)
				run := flow.Start(t.Context(), loop, flow.Then(anyway(plan), parked), 1)
				loop.Advance(10 * ms)
				runtime.GC()
				if ref.Value() != nil {
					t.Error("the context of the first run is kept")
				}
				run.Cancel(nil)
				loop.Run()
			})
		}
	}
}
