package flow_test

import (
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// These tests disturb a run at points at which it yields to its loop, after different numbers of steps. A success that
// has happened must stay one, for all levels that it completes (O7, O4).

// disturbedRun is a run, and the means to disturb it.
type disturbedRun struct {
	recorder
	loop   *tooltest.Loop
	cancel func(error) bool
	broken step.Done[int] // fails a branch that waits
}

const limit = 10 * time.Second

var disturbances = []struct {
	name string
	do   func(m *disturbedRun)
}{
	{"the limits pass", func(m *disturbedRun) { m.loop.Lag(limit) }},
	{"a sibling fails", func(m *disturbedRun) { m.broken.Fail(errSecond) }},
	{"the run is cancelled", func(m *disturbedRun) { m.cancel(nil) }},
}

// nested returns inner as the last step of a number of levels, each with a limit and a hook.
func nested[Out any](m *disturbedRun, levels int, inner step.Step[int, Out]) step.Step[int, Out] {
	for range levels {
		inner = flow.OnCancel(flow.Timeout(limit/2, flow.Then(plantest.Add(0), inner)), func(step.Scope) { m.Recordf("hook") })
	}
	return inner
}

// withFailingBranch returns s in parallel with a branch that waits until it is failed.
func (m *disturbedRun) withFailingBranch(s step.Step[int, int]) step.Step[int, int] {
	return sum(flow.Par(s, step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) { m.broken = done })
	})))
}

// at calls do after this number of callbacks. It reports false if the loop was idle before.
func (m *disturbedRun) at(t *testing.T, callbacks int, plan step.Step[int, int], do func(*disturbedRun)) bool {
	m.loop = tooltest.New()
	run := flow.Start(t.Context(), m.loop, plan, 0)
	m.cancel = run.Cancel
	in := true
	for range callbacks {
		in = in && m.loop.Step()
	}
	do(m)
	m.loop.Run()
	if errs := m.loop.Errors(); len(errs) > 0 {
		t.Errorf("reported to the loop: %v", errs)
	}
	return in && len(m.Lines) > 0
}

// disturbEverywhere runs plan after different numbers of steps, with each disturbance after different numbers of callbacks.
func disturbEverywhere(t *testing.T, plan func(m *disturbedRun) step.Step[int, int], holds func(lines []string, what string) bool) {
	t.Helper()
	for before := range reduced(110) { // 110 is more than the 100 steps of a turn
		steps := slices.Repeat([]step.Step[int, int]{plantest.Add(0)}, before+1)
		for _, d := range disturbances {
			for callbacks := 0; ; callbacks++ {
				m := new(disturbedRun)
				whole := m.withFailingBranch(flow.Then(flow.Chain(steps...), flow.Timeout(limit, plan(m))))
				during := m.at(t, callbacks, whole, func(m *disturbedRun) {
					m.Recordf("!")
					d.do(m)
				})
				if !holds(m.Lines, d.name) {
					t.Fatalf("after %d steps, when %s after %d callbacks: %q", before, d.name, callbacks, m.Lines)
				}
				if !during || callbacks > 12 {
					break
				}
			}
		}
	}
}

func follows(lines []string, line, after string) bool {
	i := slices.Index(lines, after)
	return i >= 0 && slices.Contains(lines[i:], line)
}

func TestO7(t *testing.T) {
	t.Run("O7 C2 no hook runs after the success of the last sub-step", func(t *testing.T) {
		disturbEverywhere(t, func(m *disturbedRun) step.Step[int, int] {
			return flow.Then(nested(m, 25, m.passing("last")), m.passing("after"))
		}, func(lines []string, _ string) bool { return !follows(lines, "hook", "last") })
	})
	t.Run("O7 the last branch completes the step that holds it", func(t *testing.T) {
		disturbEverywhere(t, func(m *disturbedRun) step.Step[int, int] {
			all := flow.Par(nested(m, 10, m.passing("first")), nested(m, 15, m.passing("last")))
			return flow.Then(sum(nested(m, 15, all)), m.passing("after"))
		}, func(lines []string, _ string) bool {
			both := max(slices.Index(lines, "first"), slices.Index(lines, "last"))
			return !slices.Contains(lines, "first") || !slices.Contains(lines, "last") || !slices.Contains(lines[both:], "hook")
		})
	})
	t.Run("O7 no limit passes that the success has voided", func(t *testing.T) {
		disturbEverywhere(t, func(m *disturbedRun) step.Step[int, int] {
			return m.recoverWith("handler", 1, nested(m, 25, m.passing("last")))
		}, func(lines []string, _ string) bool { return !follows(lines, "handler: Timeout", "last") })
	})
	t.Run("O7 an error reaches its handler", func(t *testing.T) {
		disturbEverywhere(t, func(m *disturbedRun) step.Step[int, int] {
			fails := step.Func(func(step.Scope, int) (int, error) {
				m.Recordf("raised")
				return 0, errFirst
			})
			return m.recoverWith("handler", 1, nested(m, 25, fails))
		}, func(lines []string, what string) bool {
			return what == "the run is cancelled" || !slices.Contains(lines, "raised") || follows(lines, "handler: First", "raised")
		})
	})
	t.Run("O7 a signal reaches its loop", func(t *testing.T) {
		disturbEverywhere(t, func(m *disturbedRun) step.Step[int, int] {
			breaks := step.New(func(step.Scope, int) step.Next[int] {
				m.Recordf("break")
				return loopx.Break[int]()
			})
			return flow.Then(nested(m, 5, loopx.Loop(nested(m, 25, breaks))), m.passing("after"))
		}, func(lines []string, what string) bool {
			hooks := 0
			for _, l := range lines {
				if l == "hook" {
					hooks++
				}
			}
			return what == "the run is cancelled" || !slices.Contains(lines, "break") || hooks == 25
		})
	})
}
