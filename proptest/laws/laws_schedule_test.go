package laws_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Law 40: law 39 with goroutines.
func TestMachineIsTheModelWithGoroutines(t *testing.T) {
	var v verdicts
	rapid.Check(t, func(t *rapid.T) {
		p := programs(shape{await: true}).Draw(t, "program")
		s := schedules.Draw(t, "order")
		rapid.SyncTest(t, func(t *rapid.T) {
			m := build(p)
			m.settle = synctest.Wait
			tr, _, err := m.under(s)
			v.ask(t, p, tr, err)
		})
	})
	v.close(t)
}

// Law 49, G2: deadlocks are found, and nothing else is reported as one.
func TestDeadlocksAreFound(t *testing.T) {
	var v verdicts
	deadlocks := 0
	rapid.Check(t, func(t *rapid.T) {
		p := programs(shape{guarded: true, quiet: true}).Draw(t, "program")
		m := build(p)
		tr, _, err := m.under(schedules.Draw(t, "order"))
		v.ask(t, p, tr, err)
		deadlocks += tr.count(func(e event) bool { return e.code == syncx.Deadlock && e.what == eEnter })
	})
	v.close(t)
	if t.Logf("%d deadlocks", deadlocks); deadlocks == 0 {
		t.Error("no program has a deadlock")
	}
}

// Law 41: law 39 for small programs, under every schedule, up to a bound.
func TestEverySchedule(t *testing.T) {
	const most = 300
	var v verdicts
	tried, complete, outcomes, all := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := programs(shape{size: 7}).Draw(t, "program")
		m := build(p)
		var own verdicts
		r := explore.All(explore.Bounds{Schedules: most}, func(x *explore.Trial) error {
			tr, err := m.run(x.Loop(), x.Drive)
			x.Note("%v", tr)
			if err != nil {
				return err
			}
			return own.of(p, tr)
		})
		v.runs, v.events, v.unknown = v.runs+1, v.events+own.events, v.unknown+min(own.unknown, 1) // a program has up to 300 runs
		if r.Failure != nil {
			t.Fatalf("schedule %v: %v", r.Failure.Schedule, r.Failure.Err)
		}
		all++
		tried += r.Schedules
		outcomes += r.Outcomes
		if r.Complete {
			complete++
		}
	})
	v.close(t)
	t.Logf("%d programs, %d of them under every schedule there is: %d schedules, %d different traces", all, complete, tried, outcomes)
}

// O4, K1, K4: the model accepts what two small programs do under every schedule, up to a bound, while shielded parts of their
// steps are left.
func TestO4LeavingShieldedPartsUnderEverySchedule(t *testing.T) {
	does := func(b body) *node { return &node{kind: kNew, body: &b} }
	of := func(k kind, kids ...*node) *node { return &node{kind: k, kids: kids} }
	failing := of(kBracket, of(kMap), does(body{way: fails, code: "Alpha"}), does(body{way: addsTask, n: 2}))
	for name, plan := range map[string]*node{
		// The release of a task adds a task: the group may be left by then or not, which decides the order of the errors.
		"a group that fails": {kind: kTasks, flav: tasksAll, n: 1, bound: 2, kids: []*node{failing}},
		// The grace of the release and that of the steps around it end at the same time: the release may end before or not.
		"graces that end together": of(kSaga, of(kUndo, of(kBracket,
			of(kUndo, does(body{way: cancels}), of(kMap)), does(body{way: panics}), does(body{way: waits})), of(kMap))),
	} {
		t.Run(name, func(t *testing.T) {
			acceptsAll(t, plan)
		})
	}
}

// P3, O7: a branch two forks deep fails an attempt. A branch that hasn't begun then begins in the next attempt, which the
// model must not take for its beginning in the first one.
func TestAttemptThatFailsDeepInside(t *testing.T) {
	fails := func() *node { return &node{kind: kNew, body: &body{way: fails, code: "Alpha"}} }
	inner := &node{kind: kPar, kids: []*node{fails()}}
	attempt := &node{kind: kRetry, n: 2, kids: []*node{{kind: kPar, kids: []*node{inner, fails()}}}}
	acceptsAll(t, attempt)
}

// acceptsAll fails t unless the model accepts what plan does under every schedule, up to a bound.
func acceptsAll(t *testing.T, plan *node) {
	t.Helper()
	p := &program{cancel: -1, plan: plan}
	p.number()
	explore.Check(t, bounds(0, 3000), func(x *explore.Trial) error {
		tr, err := build(p).run(x.Loop(), x.Drive)
		x.Note("%v", tr)
		if err != nil {
			return err
		}
		return accepts(p, tr)
	})
}

// Law 42, P1: branches start in the order in which they were added, wherever the run yields.
func TestP1BranchesStartInOrder(t *testing.T) {
	pass := step.Map(func(in int) int { return in })
	for before := range 210 {
		var started []int
		branch := func(i int) stage {
			return step.Map(func(in int) int {
				started = append(started, i)
				return in
			})
		}
		plan := flow.Then(flow.Chain(slices.Repeat([]stage{pass}, before)...), flow.Par(branch(0), branch(1), branch(2)))
		loop := tooltest.New()
		flow.Start(t.Context(), loop, plan, 0)
		loop.Run()
		if want := []int{0, 1, 2}; !slices.Equal(started, want) {
			t.Errorf("after %d steps branches start in the order %v", before, started)
		}
	}
}

// Law 44: results come back by position, whatever the order of completion.
func TestP1ResultsComeBackByPosition(t *testing.T) {
	explore.Check(t, bounds(0, 3000), func(x *explore.Trial) error {
		var ends []explore.Action
		branch := func(i int) stage {
			return step.New(func(as step.Scope, in int) step.Next[int] {
				return step.Wait(as, func(done step.Done[int]) {
					ends = append(ends, explore.Action{Name: fmt.Sprint("branch ", i, " ends"), Do: func() { done.Succeed(in + i) }})
				})
			})
		}
		run := flow.Start(t.Context(), x.Loop(), flow.Par(branch(0), branch(1), branch(2)), 10)
		err := x.Drive(func() []explore.Action {
			offered := make([]explore.Action, len(ends))
			for i, a := range ends {
				offered[i] = explore.Action{Name: a.Name, Do: func() {
					ends = slices.Delete(slices.Clone(ends), i, i+1)
					a.Do()
				}}
			}
			return offered
		})
		if err != nil {
			return err
		}
		if got, err := run.Result(); err != nil || !slices.Equal(got, []int{10, 11, 12}) {
			return fmt.Errorf("got %v, %v", got, err)
		}
		return nil
	})
}
