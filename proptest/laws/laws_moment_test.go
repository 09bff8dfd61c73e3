package laws_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

// Law 55, O7, C2: when a last sub-step succeeds, the levels that it completes succeed, even if at that time their limits pass, a
// sibling fails, or the run is cancelled. An error reaches its handler, unless the run is cancelled.
func TestO7NothingComesBetween(t *testing.T) {
	levels := func(inner stage, say func(string)) stage {
		for range 2 {
			inner = flow.OnCancel(flow.Timeout(time.Second, flow.Then(step.Map(func(in int) int { return in }), inner)), func(step.Scope) { say("hook") })
		}
		return inner
	}
	for _, c := range []struct {
		name string
		leaf func(last func(), waits func(step.Done[int])) stage
	}{
		{"a step", func(last func(), _ func(step.Done[int])) stage {
			return step.Map(func(in int) int { last(); return in })
		}},
		{"a wait", func(_ func(), waits func(step.Done[int])) stage {
			return step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait(as, waits) })
		}},
		{"an error", func(last func(), _ func(step.Done[int])) stage {
			return step.Func(func(step.Scope, int) (int, error) { last(); return 0, fault.Code("First") })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			explore.Check(t, bounds(0, 4000), func(x *explore.Trial) error {
				x.Slow()
				var said []string
				say := func(line string) {
					x.Note("%s", line)
					said = append(said, line)
				}
				var done, broken step.Done[int]
				leaf := c.leaf(func() { say("last") }, func(d step.Done[int]) { done = d })
				guarded := flow.Catch(levels(leaf, say), func(_ step.Scope, err error) step.Next[int] {
					say(string(fault.CodeOf(err)))
					return step.Succeed(0)
				})
				plan := flow.Par(flow.Then(guarded, step.Map(func(in int) int { say("after"); return in })),
					step.New(func(as step.Scope, _ int) step.Next[int] {
						return step.Wait(as, func(d step.Done[int]) { broken = d })
					}))
				run := flow.Start(t.Context(), x.Loop(), plan, 0)
				cancelled := false
				actions := []explore.Action{
					{Name: "a sibling fails", Do: func() { broken.Fail(fault.Code("Second")) }},
					{Name: "cancel", Do: func() { cancelled = true; run.Cancel(nil) }},
				}
				if c.name == "a wait" {
					actions = append(actions, explore.Action{Name: "done", Do: func() {
						if done.Succeed(1) {
							say("last")
						}
					}})
				}
				if err := x.Run(actions...); err != nil {
					return err
				}
				last := slices.Index(said, "last")
				switch {
				case last < 0:
				case c.name != "an error" && (slices.Contains(said[last:], "hook") || slices.Contains(said, string(fault.Timeout))):
					return fmt.Errorf("after the success: %q", said)
				case c.name == "an error" && !cancelled && !slices.Contains(said[last:], "First"):
					return fmt.Errorf("after the error: %q", said)
				}
				return nil
			})
		})
	}
}

// O7, P3: an error that is raised and recovered in one flow doesn't keep the run from its end.
func TestO7AnErrorStopsNoOther(t *testing.T) {
	pass := step.Map(func(in int) int { return in })
	fails := step.Func(func(step.Scope, int) (int, error) { return 0, errLost })
	wait := step.New(func(as step.Scope, in int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) { _, _ = as.Loop().Deferred(1, func() { done.Succeed(in) }) })
	})
	list := step.Map(func(got []int) int { return len(got) })
	recovers := flow.Catch(flow.Then(flow.Par(flow.Then(wait, fails), flow.Then(wait, wait)), list), func(step.Scope, error) step.Next[int] {
		return step.Succeed(1)
	})
	deep := flow.Named("a", flow.Then(wait, flow.Named("b", flow.Then(pass, flow.Named("c", flow.Then(wait, pass))))))
	plan := flow.Par[int, int](recovers, flow.Then(deep, flow.Then(pass, pass)))
	explore.Check(t, bounds(0, 2000), func(x *explore.Trial) error {
		run := explore.Start(t.Context(), x, plan, 0)
		if err := x.Run(); err != nil {
			return err
		}
		got, err := run.Result() // ErrRunning if the run hasn't ended
		if err == nil && !slices.Equal(got, []int{1, 0}) {
			err = fmt.Errorf("the branches give %v", got)
		}
		return err
	})
}

var errLost = fault.New("Lost", "")
