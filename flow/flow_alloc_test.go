package flow_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/combinatortest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/step"
)

var errNotInLoop = errors.New("not in the loop")

// When the pools are filled, a run allocates no more than its case says, which is nothing for most.
func TestAllocs(t *testing.T) {
	if racetest.Enabled {
		t.Skip("sync.Pool drops items at random under the race detector")
	}
	inc := step.Func(func(_ step.Scope, in int) (int, error) { return in + 1, nil })
	plan16 := flow.Of(inc)
	for range 15 {
		plan16 = flow.Then(plan16, inc)
	}
	declared := flow.Catch(step.Func(fail), func(step.Scope, error) step.Next[int] { return step.Succeed(1) })
	into := step.New(func(as step.Scope, in int) step.Next[int] { return step.Into(as, plan16, in) })
	handlerInto := flow.Catch(step.Func(fail), func(as step.Scope, _ error) step.Next[int] { return step.Into(as, plan16, 1) })
	branches := make([]step.Step[int, int], 100)
	for i := range branches {
		branches[i] = inc
	}

	// outside of the plan, because closures for a wait would be allocations of the test
	var done step.Done[int]
	complete := func() { done.Succeed(1) }
	keep := func(d step.Done[int]) { done = d }
	begin := func(d step.Done[int]) { d.Succeed(1) }
	waits := step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, begin)
	})
	queues := step.New(func(as step.Scope, _ int) step.Next[int] {
		as.Loop().Immediate(complete)
		as.Loop().Immediate(complete)
		return step.Wait(as, keep)
	})
	asks := step.New(func(as step.Scope, in int) step.Next[int] {
		if !as.Loop().InLoop() {
			return step.Fail[int](errNotInLoop)
		}
		return step.Into(as, waits, in)
	})
	hook := func() {}
	armed := step.New(func(as step.Scope, in int) step.Next[int] {
		as.SetTimeout(time.Hour)
		as.SetCancel(hook)
		return step.Succeed(in)
	})

	for _, c := range []struct {
		name string
		s    step.Step[int, int]
	}{
		{"16 steps", plan16},
		{"sub-steps", into},
		{"sub-steps of sub-steps", flow.Then(into, step.New(func(as step.Scope, in int) step.Next[int] { return step.Into(as, into, in) }))},
		{"error and recovery", declared},
		{"error, recovery with sub-steps", handlerInto},
		{"error through levels", flow.Catch(flow.Then(plantest.Add(1), flow.OnCancel(flow.Then(plantest.Add(1), step.Func(fail)), func(step.Scope) {})), func(step.Scope, error) step.Next[int] { return step.Succeed(1) })},
		{"three branches, one waits", flow.Then(flow.Par3(inc, waits, inc), step.Map(func(p flow.Triple[int, int, int]) int { return p.A + p.B + p.C }))},
		{"graph", diamond(inc, plan16, waits)},
		{"carry and tap", flow.Then(flow.Then(flow.Carry(inc), addPair), flow.Tap(inc))},
		{"first, after an error", flow.First(step.Func(fail), waits)},
		{"hedge that is", flow.Hedge(time.Hour, step.Func(fail), waits)},
		{"wait", waits},
		{"delay", step.Delay[int](0)},
		{"wait of a sub-step with a timeout", flow.Timeout(time.Hour, flow.Then(inc, waits))},
		{"timeout and hook", armed},
		{"call", flow.Then(flow.Call(plan16), flow.Call(plan16))},
	} {
		t.Run(c.name, func(t *testing.T) { allocates(t, 0, c.s, 1) })
	}
	for _, c := range combinatortest.All {
		for _, s := range []step.Step[int, int]{plan16, waits} {
			n := c.Stages
			if c.Many {
				n++
			}
			p := c.Make(slices.Repeat([]step.Step[int, int]{s}, n)...)
			t.Run(c.Name, func(t *testing.T) { allocates(t, c.Allocs, p, 1) })
		}
	}
	t.Run("wait on a loop that is asked whose it is", func(t *testing.T) { allocates(t, 1, asks, 1) })
	t.Run("wait that asks for the private loop", func(t *testing.T) { allocates(t, 1, flow.Then(queues, queues), 1) })
	t.Run("a hundred branches", func(t *testing.T) { allocates(t, 1, flow.Par(branches...), 1) })
	t.Run("two of three", func(t *testing.T) { allocates(t, 1, flow.Some(2, inc, waits, plan16), 1) })
	t.Run("each of a thousand", func(t *testing.T) { allocates(t, 1, flow.ParEach(4, inc), make([]int, 1000)) })
	t.Run("each of a thousand with sub-steps", func(t *testing.T) { allocates(t, 1, flow.ParEach(4, into), make([]int, 1000)) })
	t.Run("nobody", func(t *testing.T) { allocates(t, 0, flow.ParEach(4, inc), []int(nil)) })
}

func allocates[In, Out any](t *testing.T, want float64, s step.Step[In, Out], in In) {
	t.Helper()
	ctx := context.Background()
	got := testing.AllocsPerRun(200, func() {
		if _, err := flow.Run(ctx, s, in); err != nil {
			t.Error(err)
		}
	})
	if got > want {
		t.Errorf("%v allocations, want %v", got, want)
	}
}
