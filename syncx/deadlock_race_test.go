package syncx_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// P6: a race stands still if all of its branches that live, or may yet begin, do. Then a ring through it is found, and one
// branch fails.
func TestP6DeadlockThroughARace(t *testing.T) {
	for name, c := range map[string]struct {
		race func(r *rig, m []*syncx.Mutex) str // in m[0]; another flow is in m[1] and m[2], and wants m[0] after 2 ms
		want string
	}{
		"all branches wait": {func(r *rig, m []*syncx.Mutex) str {
			return flow.First(syncx.Sync(m[1], r.mark("let-in")), syncx.Sync(m[2], r.mark("let-in")))
		}, "b!Deadlock let-in a"},
		"one branch goes on": {func(r *rig, m []*syncx.Mutex) str {
			return flow.First(syncx.Sync(m[1], r.mark("let-in")), quiet(r, 9*ms))
		}, "a b"},
		"the last one that goes on begins to wait": {func(r *rig, m []*syncx.Mutex) str {
			return flow.First(syncx.Sync(m[1], r.mark("let-in")), flow.Then(quiet(r, 9*ms), syncx.Sync(m[2], r.mark("let-in"))))
		}, "a!Deadlock b"},
		"it recovers": {func(r *rig, m []*syncx.Mutex) str {
			wins := recovers(syncx.Sync(m[2], r.mark("let-in")))
			return flow.First(syncx.Sync(m[1], r.mark("let-in")), flow.Then(quiet(r, 9*ms), wins))
		}, "a b"},
		"the last one that goes on fails": {func(r *rig, m []*syncx.Mutex) str {
			return flow.First(syncx.Sync(m[1], r.mark("let-in")), flow.Then(quiet(r, 9*ms), fails(errBody)))
		}, "a!Deadlock b"},
		"the last one that goes on fails, and the other recovers": {func(r *rig, m []*syncx.Mutex) str {
			return flow.First(recovers(syncx.Sync(m[1], r.mark("let-in"))), flow.Then(quiet(r, 9*ms), fails(errBody)))
		}, "a b"},
		"some": {func(r *rig, m []*syncx.Mutex) str {
			all := flow.Some(2, quiet(r, 9*ms), recovers(syncx.Sync(m[1], r.mark("let-in"))), syncx.Sync(m[2], r.mark("let-in")))
			return flow.Then(all, step.Map(func(all []string) string { return all[0] }))
		}, "a b"},
		"the last one that goes on fails, and two recover that both have to": {func(r *rig, m []*syncx.Mutex) str {
			wait := recovers(syncx.Sync(m[1], r.mark("let-in")))
			return flow.First(join(wait, wait), flow.Then(quiet(r, 9*ms), fails(errBody)))
		}, "a b"},
		"two branches of one that has lost are being left": {func(r *rig, m []*syncx.Mutex) str {
			back := releases(recovers(syncx.Sync(m[1], r.mark("let-in"))))
			held := flow.Bracket(r.mark("in"), quiet(r, 50*ms), back)
			return flow.First(join(held, held, held), flow.Shield(quiet(r, 9*ms)), quiet(r, 5*ms))
		}, "in in in a b"},
		"a race in a race": {func(r *rig, m []*syncx.Mutex) str {
			inner := flow.First(syncx.Sync(m[1], r.mark("let-in")), flow.Then(quiet(r, 5*ms), fails(errBody)))
			return flow.First(inner, flow.Then(quiet(r, 9*ms), fails(errBody)))
		}, "a!Deadlock b"},
		"branches in branches": {func(r *rig, m []*syncx.Mutex) str {
			return flow.First(join(syncx.Sync(m[1], r.mark("let-in")), syncx.Sync(m[2], r.mark("let-in"))), quiet(r, 9*ms))
		}, "a b"},
		"all branches in branches": {func(r *rig, m []*syncx.Mutex) str {
			wait := join(syncx.Sync(m[1], r.mark("let-in")), quiet(r, ms))
			return flow.First(wait, join(join(wait)))
		}, "b!Deadlock let-in a"},
		"a branch may yet begin": {func(r *rig, m []*syncx.Mutex) str {
			return flow.Hedge(9*ms, syncx.Sync(m[1], r.mark("let-in")), r.mark("begun"))
		}, "begun a b"},
		"the last branch has begun": {func(r *rig, m []*syncx.Mutex) str {
			return flow.Hedge(9*ms, syncx.Sync(m[1], r.mark("let-in")), flow.Then(r.mark("begun"), fails(errBody)))
		}, "begun a!Deadlock b"},
		"a task may yet begin": {func(r *rig, m []*syncx.Mutex) str { return tasks(1, fails(errBody), quiet(r, 9*ms)) }, "a b"},
		"no task may begin yet": {func(r *rig, m []*syncx.Mutex) str {
			return tasks(1, syncx.Sync(m[1], r.mark("let-in")), fails(errBody))
		}, "b!Deadlock let-in a"},
		"the last task": {func(r *rig, m []*syncx.Mutex) str {
			return tasks(2, syncx.Sync(m[1], r.mark("let-in")), flow.Then(quiet(r, 5*ms), fails(errBody)), flow.Then(quiet(r, 5*ms), fails(errBody)))
		}, "a!Deadlock b"},
		"parts that linger": {func(r *rig, m []*syncx.Mutex) str {
			return flow.First(flow.Linger(time.Hour, syncx.Sync(m[1], r.mark("let-in"))), flow.Linger(time.Hour, flow.Then(quiet(r, 9*ms), fails(errBody))))
		}, "a!Deadlock b"},
		"a branch that has lost, and is being left": {func(r *rig, m []*syncx.Mutex) str {
			back := releases(recovers(syncx.Sync(m[1], r.mark("let-in"))))
			return flow.First(flow.Bracket(r.mark("in"), quiet(r, 50*ms), back), quiet(r, 9*ms))
		}, "in a b"},
		"a branch has lost, and another never begins": {func(r *rig, m []*syncx.Mutex) str {
			back := releases(recovers(syncx.Sync(m[1], r.mark("let-in"))))
			return flow.Hedge(5*ms, flow.Bracket(r.mark("in"), quiet(r, 50*ms), back), quiet(r, ms), r.mark("never"))
		}, "in a b"},
		"a branch never begins": {func(r *rig, m []*syncx.Mutex) str {
			hedge := flow.Hedge(time.Hour, flow.Shield(flow.Then(quiet(r, 5*ms), syncx.Sync(m[1], r.mark("let-in")))), r.mark("let-in"))
			return flow.Timeout(9*ms, flow.Grace(-1, hedge))
		}, "a!Timeout b"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			m := []*syncx.Mutex{syncx.NewMutex(1, -1), syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)}
			r.outcome("a", syncx.Sync(m[0], flow.Then(quiet(r, ms), c.race(r, m))))
			r.outcome("b", syncx.Sync(m[1], syncx.Sync(m[2], flow.Then(quiet(r, 2*ms), syncx.Sync(m[0], quiet(r, ms))))))
			r.Advance(time.Minute)
			r.want(c.want)
		})
	}
}

// recovers returns s with a handler for a deadlock.
func recovers(s str) str {
	return flow.Catch(s, func(_ step.Scope, err error) step.Next[string] {
		if !errors.Is(err, syncx.Deadlock) {
			return step.Unwind[string]()
		}
		return step.Succeed("recovered")
	})
}

// releases returns s as the release of a bracket.
func releases(s str) step.Step[flow.Ended[string, string], string] {
	return flow.Then(step.Map(func(flow.Ended[string, string]) string { return "" }), s)
}

// tasks returns a race of tasks, so many of which go on at once.
func tasks(bound int, all ...str) str {
	group := flow.NewTasks[int, string]("race")
	one := step.New(func(as step.Scope, i int) step.Next[string] { return step.Into(as, all[i], "") })
	numbers := step.Map(func(string) []int {
		n := make([]int, len(all))
		for i := range n {
			n[i] = i
		}
		return n
	})
	return flow.Then(numbers, group.First(bound, one))
}
