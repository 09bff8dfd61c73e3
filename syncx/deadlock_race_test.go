package syncx_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// P6: a race stands still if all of its branches that live or may yet begin stand still.
func TestP6DeadlockThroughARace(t *testing.T) {
	for name, c := range map[string]struct {
		race func(h *harness, m []*syncx.Mutex) stringStep // in m[0]; another flow is in m[1] and m[2], and wants m[0] after 2 ms
		want string
	}{
		"all branches wait": {func(h *harness, m []*syncx.Mutex) stringStep {
			return flow.First(syncx.Sync(m[1], h.mark("let-in")), syncx.Sync(m[2], h.mark("let-in")))
		}, "b!Deadlock let-in a"},
		"one branch goes on": {func(h *harness, m []*syncx.Mutex) stringStep {
			return flow.First(syncx.Sync(m[1], h.mark("let-in")), quiet(h, 9*ms))
		}, "a b"},
		"the last one that goes on begins to wait": {func(h *harness, m []*syncx.Mutex) stringStep {
			return flow.First(syncx.Sync(m[1], h.mark("let-in")), flow.Then(quiet(h, 9*ms), syncx.Sync(m[2], h.mark("let-in"))))
		}, "a!Deadlock b"},
		"it recovers": {func(h *harness, m []*syncx.Mutex) stringStep {
			wins := recovers(syncx.Sync(m[2], h.mark("let-in")))
			return flow.First(syncx.Sync(m[1], h.mark("let-in")), flow.Then(quiet(h, 9*ms), wins))
		}, "a b"},
		"the last one that goes on fails": {func(h *harness, m []*syncx.Mutex) stringStep {
			return flow.First(syncx.Sync(m[1], h.mark("let-in")), flow.Then(quiet(h, 9*ms), plantest.Fail[string, string](errBody)))
		}, "a!Deadlock b"},
		"the last one that goes on fails, and the other recovers": {func(h *harness, m []*syncx.Mutex) stringStep {
			return flow.First(recovers(syncx.Sync(m[1], h.mark("let-in"))), flow.Then(quiet(h, 9*ms), plantest.Fail[string, string](errBody)))
		}, "a b"},
		"some": {func(h *harness, m []*syncx.Mutex) stringStep {
			all := flow.Some(2, quiet(h, 9*ms), recovers(syncx.Sync(m[1], h.mark("let-in"))), syncx.Sync(m[2], h.mark("let-in")))
			return flow.Then(all, step.Map(func(all []string) string { return all[0] }))
		}, "a b"},
		"the last one that goes on fails, and two recover that both have to": {func(h *harness, m []*syncx.Mutex) stringStep {
			wait := recovers(syncx.Sync(m[1], h.mark("let-in")))
			return flow.First(join(wait, wait), flow.Then(quiet(h, 9*ms), plantest.Fail[string, string](errBody)))
		}, "a b"},
		"two branches of one that has lost are being left": {func(h *harness, m []*syncx.Mutex) stringStep {
			back := releases(recovers(syncx.Sync(m[1], h.mark("let-in"))))
			held := flow.Bracket(h.mark("in"), quiet(h, 50*ms), back)
			return flow.First(join(held, held, held), flow.Shield(quiet(h, 9*ms)), quiet(h, 5*ms))
		}, "in in in a b"},
		"a race in a race": {func(h *harness, m []*syncx.Mutex) stringStep {
			inner := flow.First(syncx.Sync(m[1], h.mark("let-in")), flow.Then(quiet(h, 5*ms), plantest.Fail[string, string](errBody)))
			return flow.First(inner, flow.Then(quiet(h, 9*ms), plantest.Fail[string, string](errBody)))
		}, "a!Deadlock b"},
		"branches in branches": {func(h *harness, m []*syncx.Mutex) stringStep {
			return flow.First(join(syncx.Sync(m[1], h.mark("let-in")), syncx.Sync(m[2], h.mark("let-in"))), quiet(h, 9*ms))
		}, "a b"},
		"all branches in branches": {func(h *harness, m []*syncx.Mutex) stringStep {
			wait := join(syncx.Sync(m[1], h.mark("let-in")), quiet(h, ms))
			return flow.First(wait, join(join(wait)))
		}, "b!Deadlock let-in a"},
		"a branch may yet begin": {func(h *harness, m []*syncx.Mutex) stringStep {
			return flow.Hedge(9*ms, syncx.Sync(m[1], h.mark("let-in")), h.mark("begun"))
		}, "begun a b"},
		"the last branch has begun": {func(h *harness, m []*syncx.Mutex) stringStep {
			return flow.Hedge(9*ms, syncx.Sync(m[1], h.mark("let-in")), flow.Then(h.mark("begun"), plantest.Fail[string, string](errBody)))
		}, "begun a!Deadlock b"},
		"a task may yet begin": {func(h *harness, m []*syncx.Mutex) stringStep {
			return tasks(1, plantest.Fail[string, string](errBody), quiet(h, 9*ms))
		}, "a b"},
		"no task may begin yet": {func(h *harness, m []*syncx.Mutex) stringStep {
			return tasks(1, syncx.Sync(m[1], h.mark("let-in")), plantest.Fail[string, string](errBody))
		}, "b!Deadlock let-in a"},
		"the last task": {func(h *harness, m []*syncx.Mutex) stringStep {
			return tasks(2, syncx.Sync(m[1], h.mark("let-in")), flow.Then(quiet(h, 5*ms), plantest.Fail[string, string](errBody)), flow.Then(quiet(h, 5*ms), plantest.Fail[string, string](errBody)))
		}, "a!Deadlock b"},
		"parts that linger": {func(h *harness, m []*syncx.Mutex) stringStep {
			return flow.First(flow.Linger(time.Hour, syncx.Sync(m[1], h.mark("let-in"))), flow.Linger(time.Hour, flow.Then(quiet(h, 9*ms), plantest.Fail[string, string](errBody))))
		}, "a!Deadlock b"},
		"a branch that has lost, and is being left": {func(h *harness, m []*syncx.Mutex) stringStep {
			back := releases(recovers(syncx.Sync(m[1], h.mark("let-in"))))
			return flow.First(flow.Bracket(h.mark("in"), quiet(h, 50*ms), back), quiet(h, 9*ms))
		}, "in a b"},
		"a branch has lost, and another never begins": {func(h *harness, m []*syncx.Mutex) stringStep {
			back := releases(recovers(syncx.Sync(m[1], h.mark("let-in"))))
			return flow.Hedge(5*ms, flow.Bracket(h.mark("in"), quiet(h, 50*ms), back), quiet(h, ms), h.mark("never"))
		}, "in a b"},
		"a branch never begins": {func(h *harness, m []*syncx.Mutex) stringStep {
			hedge := flow.Hedge(time.Hour, flow.Shield(flow.Then(quiet(h, 5*ms), syncx.Sync(m[1], h.mark("let-in")))), h.mark("let-in"))
			return flow.Timeout(9*ms, flow.Grace(-1, hedge))
		}, "a!Timeout b"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			m := []*syncx.Mutex{syncx.NewMutex(1, -1), syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)}
			h.outcome("a", syncx.Sync(m[0], flow.Then(quiet(h, ms), c.race(h, m))))
			h.outcome("b", syncx.Sync(m[1], syncx.Sync(m[2], flow.Then(quiet(h, 2*ms), syncx.Sync(m[0], quiet(h, ms))))))
			h.Advance(time.Minute)
			h.WantEvents(c.want)
		})
	}
}

// recovers handles a deadlock in s.
func recovers(s stringStep) stringStep {
	return flow.Catch(s, func(_ step.Scope, err error) step.Next[string] {
		if !errors.Is(err, syncx.Deadlock) {
			return step.Unwind[string]()
		}
		return step.Succeed("recovered")
	})
}

func releases(s stringStep) step.Step[flow.Ended[string, string], string] {
	return flow.Then(step.Map(func(flow.Ended[string, string]) string { return "" }), s)
}

// tasks returns a race of tasks, of which at most bound run at once.
func tasks(bound int, all ...stringStep) stringStep {
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
