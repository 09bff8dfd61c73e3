package laws_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Law 45: a loop gives the same as a recursion with the same body.
func TestLoopsAreRecursion(t *testing.T) {
	type state struct{ left, value int }
	turn := func(s state) state { return state{s.left - 1, s.value*3 + s.left} }
	loop := loopx.Loop(step.New(func(_ step.Scope, s state) step.Next[state] {
		if s.left == 0 {
			return loopx.Break[state]()
		}
		return step.Succeed(turn(s))
	}))
	var self step.Step[state, state]
	self = step.New(func(as step.Scope, s state) step.Next[state] {
		if s.left == 0 {
			return step.Succeed(s)
		}
		return step.Into(as, self, turn(s))
	})
	rapid.Check(t, func(t *rapid.T) {
		in := state{rapid.IntRange(0, 300).Draw(t, "turns"), rapid.Int().Draw(t, "value")}
		byLoop, err := flow.Run(t.Context(), loop, in)
		if err != nil {
			t.Fatal(err)
		}
		byRecursion, err := flow.Run(t.Context(), self, in)
		if err != nil || byLoop != byRecursion {
			t.Fatalf("loop %v, recursion %v, %v", byLoop, byRecursion, err)
		}
		plain := in
		for plain.left > 0 {
			plain = turn(plain)
		}
		if byLoop != plain {
			t.Fatalf("loop %v, Go %v", byLoop, plain)
		}
	})
}

// Law 46: ParEach runs no more elements at once than its bound, and each element once.
func TestParEachKeepsItsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.Int(), 0, 20).Draw(t, "elements")
		bound := rapid.IntRange(1, 8).Draw(t, "bound")
		begun, running, most := 0, 0, 0
		plan := flow.ParEach(bound, flow.Then(
			step.New(func(as step.Scope, v int) step.Next[int] {
				begun++
				running++
				most = max(most, running)
				return step.Wait(as, func(done step.Done[int]) {
					_, _ = as.Loop().Immediate(func() { done.Succeed(v) })
				})
			}),
			step.Map(func(v int) int {
				running--
				return v * 2
			})))
		seed := rapid.Uint64().Draw(t, "seed")
		loop := tooltest.New(tooltest.WithSeed(seed))
		run := flow.Start(t.Context(), loop, plan, in)
		loop.Run()
		got, err := run.Result()
		want := slices.Clone(in)
		for i := range want {
			want[i] *= 2
		}
		if err != nil || !slices.Equal(got, want) || begun != len(in) || running != 0 || most > bound {
			t.Fatalf("got %v, %v; %d were begun, %d still run, %d ran at once", got, err, begun, running, most)
		}
	})
}

// Law 47: memory in a pool doesn't refer to the input of a run that has used it.
func TestPoolsHoldNothing(t *testing.T) {
	type big [1 << 10]byte
	same := step.Map(func(p *big) *big { return p })
	fails := step.Func(func(as step.Scope, p *big) (*big, error) {
		as.State().Set("kept", p)
		return p, errors.New("as it was told to")
	})
	recovers := func(step.Scope, error) step.Next[*big] { return step.Succeed[*big](nil) }
	plan := flow.Then(
		flow.Catch(flow.Chain(same, flow.Call(same), fails), recovers),
		flow.Par(same, flow.Catch(fails, recovers), loopx.Repeat(2, step.Map(func(t loopx.Iteration[*big]) *big { return t.Carry }))))
	var held weak.Pointer[big]
	func() {
		p := new(big)
		held = weak.Make(p)
		if _, err := flow.Run(context.Background(), plan, p); err != nil {
			t.Fatal(err)
		}
	}()
	runtime.GC()
	if held.Value() != nil {
		t.Error("the input of a run that has ended is still reachable")
	}
	runtime.KeepAlive(plan)
}

// Law 47: memory in a pool doesn't refer to a loop, even one that has refused a timer.
func TestPoolsHoldNoLoop(t *testing.T) {
	plan := step.Delay[int](1)
	var held weak.Pointer[tooltest.Loop]
	func() {
		loop := tooltest.New()
		held = weak.Make(loop)
		run := flow.Start(context.Background(), refusing{loop}, plan, 0)
		loop.Run()
		if _, err := run.Result(); !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("ended with %v", err)
		}
	}()
	runtime.GC()
	if held.Value() != nil {
		t.Error("the loop of a run that has ended is still reachable")
	}
	runtime.KeepAlive(plan)
}

type refusing struct{ *tooltest.Loop }

func (refusing) Deferred(time.Duration, func()) (tool.Handle, error) { return 0, tool.ErrShutdown }
