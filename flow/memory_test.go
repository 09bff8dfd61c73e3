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

// tenant is a plan that uses memory which a run of another plan may have used before: plans with the same types share
// it. With a positive input it returns the input, with a negative one it fails, with zero it waits.
type tenant struct {
	name string
	plan func() flow.Plan[int, int]
}

var errTenant = fault.New("Tenant", "as it should")

// moody returns a step that does what its input says, as tenant describes.
func moody() step.Step[int, int] {
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

// pausing returns moody after a pause, so that the steps around it wait.
func pausing() step.Step[int, int] { return flow.Then(step.Delay[int](time.Millisecond), moody()) }

func listed(p step.Step[[]int, []int]) flow.Plan[int, int] {
	all := step.Map(func(in int) []int { return []int{in, in, in} })
	return flow.Then(flow.Then(all, p), mean(3))
}

// mean makes a step that returns the mean of its n inputs, or -1 if they aren't n.
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

func tenants() []tenant {
	body := step.Map(func(i loopx.Iteration[int]) int { return i.Carry })
	tasks := flow.NewTasks[int, int]("tenants")
	first := flow.Then(step.Map(func(in int) []int { return []int{in, in} }), tasks.First(2, pausing()))
	policy := retry.Policy{Tries: 3, Pause: time.Millisecond, Budget: retry.NewBudget(0, 10)}
	return []tenant{
		{"Par", func() flow.Plan[int, int] { return flow.Then(flow.Par(pausing(), moody(), pausing()), mean(3)) }},
		{"First", func() flow.Plan[int, int] { return flow.First(pausing(), moody()) }},
		{"Race", func() flow.Plan[int, int] { return flow.Race(pausing(), moody(), pausing()) }},
		{"Some", func() flow.Plan[int, int] { return flow.Then(flow.Some(2, pausing(), moody(), pausing()), mean(2)) }},
		{"Hedge", func() flow.Plan[int, int] { return flow.Hedge(time.Millisecond, pausing(), pausing(), moody()) }},
		{"ParEach", func() flow.Plan[int, int] { return listed(flow.ParEach(2, pausing())) }},
		{"ParEach of one lane", func() flow.Plan[int, int] { return listed(flow.ParEach(1, pausing())) }},
		{"All", func() flow.Plan[int, int] { return listed(tasks.All(2, pausing())) }},
		{"Completed", func() flow.Plan[int, int] { return listed(tasks.Completed(3, pausing())) }},
		{"Tasks.First", func() flow.Plan[int, int] { return first }},
		{"retry", func() flow.Plan[int, int] { return retry.Of(policy, pausing()) }},
		{"retry of one", func() flow.Plan[int, int] { return retry.Of(retry.Policy{Tries: 1}, pausing()) }},
		{"Shield", func() flow.Plan[int, int] { return flow.Grace(time.Millisecond, flow.Shield(pausing())) }},
		{"Bracket", func() flow.Plan[int, int] {
			release := step.Map(func(e flow.Ended[int, int]) int { return e.Resource })
			return flow.Grace(time.Millisecond, flow.Bracket(flow.Chain[int](), pausing(), release))
		}},
		{"Saga", func() flow.Plan[int, int] {
			return flow.Saga(flow.Then(flow.Undo(flow.Chain[int](), flow.Chain[int]()), pausing()))
		}},
		{"Graph", func() flow.Plan[int, int] {
			return flow.Graph(func(in flow.Ref[int]) flow.Ref[int] { return flow.Node(flow.Node(in, moody()), pausing()) })
		}},
		{"Timeout", func() flow.Plan[int, int] { return flow.Timeout(time.Hour, pausing()) }},
		{"Sync", func() flow.Plan[int, int] { return syncx.Sync(syncx.NewMutex(1, -1), pausing()) }},
		{"Repeat", func() flow.Plan[int, int] { return loopx.Repeat(2, flow.Then(body, pausing())) }},
		{"Try", func() flow.Plan[int, int] {
			again := step.Func(func(_ step.Scope, r flow.Result[int]) (int, error) { return r.Value, r.Err })
			return flow.Then(flow.Try(pausing()), again)
		}},
		{"Carry", func() flow.Plan[int, int] {
			return flow.Then(flow.Carry(pausing()), step.Map(func(p flow.Pair[int, int]) int { return p.B }))
		}},
	}
}

// A step doesn't see the options of the step that used its memory before: neither in the same level, nor in another
// run.
func TestMemoryForgetsWhoUsedIt(t *testing.T) {
	all := tenants()
	for _, before := range all {
		for _, after := range all {
			for _, next := range []int{2, -2, 0} {
				loop := tooltest.New()
				ended := flow.Then(before.plan(), step.Map(func(int) int { return next }))
				failed := flow.Catch(before.plan(), func(step.Scope, error) step.Next[int] { return step.Succeed(next) })
				for in, first := range map[int]flow.Plan[int, int]{1: ended, -1: failed} {
					if wrong := inhabit(loop, flow.Then(first, after.plan()), in, next); wrong != "" {
						t.Errorf("%s of %d, after %s of %d: %s", after.name, next, before.name, in, wrong)
					}
				}
			}
		}
	}
}

// inhabit runs p, whose last part gets next, and returns what is wrong with the result.
func inhabit(loop *tooltest.Loop, p flow.Plan[int, int], in, next int) string {
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
