package flow_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// memoryUser makes a plan whose runs use memory that a run of another plan may have used before: plans with the same
// types share it. With a positive input the plan returns the input, with a negative one it fails, with zero it waits.
type memoryUser struct {
	name string
	plan func() flow.Plan[int, int]
}

var errTenant = fault.New("Tenant", "as it should")

// scriptedStep returns a step that does what memoryUser describes.
func scriptedStep() step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		switch {
		case in < 0:
			return step.Fail[int](errTenant)
		case in == 0:
			return step.Wait[int](as, nil)
		default:
			return step.Succeed(in)
		}
	})
}

func delayedScript() step.Step[int, int] {
	return flow.Then(step.Delay[int](time.Millisecond), scriptedStep())
}

func listed(p step.Step[[]int, []int]) flow.Plan[int, int] {
	all := step.Map(func(in int) []int { return []int{in, in, in} })
	return flow.Then(flow.Then(all, p), mean(3))
}

func mean(n int) step.Step[[]int, int] {
	return step.Map(func(out []int) int {
		if len(out) != n {
			return -1
		}
		total := 0
		for _, v := range out {
			total += v
		}
		return total / n
	})
}

func memoryUsers() []memoryUser {
	body := step.Map(func(i loopx.Iteration[int]) int { return i.Carry })
	tasks := flow.NewTasks[int, int]("tenants")
	first := flow.Then(step.Map(func(in int) []int { return []int{in, in} }), tasks.First(2, delayedScript()))
	policy := retry.Policy{Tries: 3, Pause: time.Millisecond, Budget: retry.NewBudget(0, 10)}
	return []memoryUser{
		{"Par", func() flow.Plan[int, int] {
			return flow.Then(flow.Par(delayedScript(), scriptedStep(), delayedScript()), mean(3))
		}},
		{"First", func() flow.Plan[int, int] { return flow.First(delayedScript(), scriptedStep()) }},
		{"Race", func() flow.Plan[int, int] { return flow.Race(delayedScript(), scriptedStep(), delayedScript()) }},
		{"Some", func() flow.Plan[int, int] {
			return flow.Then(flow.Some(2, delayedScript(), scriptedStep(), delayedScript()), mean(2))
		}},
		{"Hedge", func() flow.Plan[int, int] {
			return flow.Hedge(time.Millisecond, delayedScript(), delayedScript(), scriptedStep())
		}},
		{"ParEach", func() flow.Plan[int, int] { return listed(flow.ParEach(2, delayedScript())) }},
		{"ParEach of one lane", func() flow.Plan[int, int] { return listed(flow.ParEach(1, delayedScript())) }},
		{"All", func() flow.Plan[int, int] { return listed(tasks.All(2, delayedScript())) }},
		{"Completed", func() flow.Plan[int, int] { return listed(tasks.Completed(3, delayedScript())) }},
		{"Tasks.First", func() flow.Plan[int, int] { return first }},
		{"retry", func() flow.Plan[int, int] { return retry.Of(policy, delayedScript()) }},
		{"retry of one", func() flow.Plan[int, int] { return retry.Of(retry.Policy{Tries: 1}, delayedScript()) }},
		{"Shield", func() flow.Plan[int, int] { return flow.Grace(time.Millisecond, flow.Shield(delayedScript())) }},
		{"Bracket", func() flow.Plan[int, int] {
			release := step.Map(func(e flow.Ended[int, int]) int { return e.Resource })
			return flow.Grace(time.Millisecond, flow.Bracket(flow.Chain[int](), delayedScript(), release))
		}},
		{"Saga", func() flow.Plan[int, int] {
			return flow.Saga(flow.Then(flow.Undo(flow.Chain[int](), flow.Chain[int]()), delayedScript()))
		}},
		{"Graph", func() flow.Plan[int, int] {
			return flow.Graph(func(in flow.Ref[int]) flow.Ref[int] { return flow.Node(flow.Node(in, scriptedStep()), delayedScript()) })
		}},
		{"Timeout", func() flow.Plan[int, int] { return flow.Timeout(time.Hour, delayedScript()) }},
		{"Sync", func() flow.Plan[int, int] { return syncx.Sync(syncx.NewMutex(1, -1), delayedScript()) }},
		{"Repeat", func() flow.Plan[int, int] { return loopx.Repeat(2, flow.Then(body, delayedScript())) }},
		{"Try", func() flow.Plan[int, int] {
			again := step.Func(func(_ step.Scope, r flow.Result[int]) (int, error) { return r.Value, r.Err })
			return flow.Then(flow.Try(delayedScript()), again)
		}},
		{"Carry", func() flow.Plan[int, int] {
			return flow.Then(flow.Carry(delayedScript()), step.Map(func(p flow.Pair[int, int]) int { return p.B }))
		}},
	}
}

// A step isn't affected by the step that used its memory before, in the same level or in another run.
func TestMemoryForgetsWhoUsedIt(t *testing.T) {
	all := memoryUsers()
	for _, before := range all {
		for _, after := range all {
			for _, next := range []int{2, -2, 0} {
				loop := tooltest.New()
				ended := flow.Then(before.plan(), step.Map(func(int) int { return next }))
				failed := flow.Catch(before.plan(), func(step.Scope, error) step.Next[int] { return step.Succeed(next) })
				for in, first := range map[int]flow.Plan[int, int]{1: ended, -1: failed} {
					if wrong := runUser(loop, flow.Then(first, after.plan()), in, next); wrong != "" {
						t.Errorf("%s of %d, after %s of %d: %s", after.name, next, before.name, in, wrong)
					}
				}
			}
		}
	}
}

// runUser runs p, whose last part gets next, and returns what is wrong with the result, or "".
func runUser(loop *tooltest.Loop, p flow.Plan[int, int], in, next int) string {
	began := loop.Now()
	run := flow.Start(context.Background(), loop, p, in)
	loop.Advance(40 * time.Millisecond)
	run.Cancel(nil) // does nothing unless the run waits
	loop.Run()
	out, err := run.Result()
	switch {
	case next > 0 && (out != next || err != nil),
		next < 0 && !errors.Is(err, errTenant),
		next == 0 && !errors.Is(err, fault.Cancelled):
		return fmt.Sprintf("got %d, %v", out, err)
	case loop.Now()-began > 50*time.Millisecond:
		return fmt.Sprintf("took %v", loop.Now()-began)
	default:
		return ""
	}
}
