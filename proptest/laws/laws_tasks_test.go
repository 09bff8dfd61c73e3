package laws_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

var family = flow.NewTasks[int, int]("family")

// Law 73, P8: under every schedule with few delays, with cancels, each task begins at most once, none after the end of the group,
// and no more than the bound are under way at the same time. No more of them succeed or are left than have begun. If nothing goes
// wrong each task has its result, in the order in which tasks were added.
func TestP8EveryScheduleOfTasks(t *testing.T) {
	for _, bound := range []int{1, 2, 3} {
		for _, trouble := range []string{"none", "cancel", "a task fails"} {
			t.Run(fmt.Sprintf("bound %d, %s", bound, trouble), func(t *testing.T) {
				everySchedule(t, bounds(2, 1500), func(ctx context.Context, x *explore.Trial) error {
					return everyTask(ctx, x, bound, trouble)
				})
			})
		}
	}
}

type brood struct {
	x                        *explore.Trial
	added, begun, done, left []int
	now, most                int
	over, late               bool
}

// task returns a task that begins, waits, and then executes end.
func (b *brood) task(end step.Step[int, int]) step.Step[int, int] {
	begin := step.Map(func(n int) int {
		b.x.Note("begin %d", n)
		b.begun = append(b.begun, n)
		b.now++
		b.most = max(b.most, b.now)
		b.late = b.late || b.over
		return n
	})
	waits := step.New(func(as step.Scope, n int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) { _, _ = as.Loop().Immediate(func() { done.Succeed(n) }) })
	})
	return flow.Then(begin, flow.OnCancel(flow.Then(waits, end), func(step.Scope) {
		b.x.Note("left")
		b.left = append(b.left, 0)
		b.now--
	}))
}

func (b *brood) ends(n int) {
	b.x.Note("done %d", n)
	b.done = append(b.done, n)
	b.now--
}

// runBrood runs the group p with the tasks 0 and 1, and those that they add.
func runBrood[Out any](ctx context.Context, b *brood, p step.Step[[]int, Out], trouble string) (out Out, err, bad error) {
	run := explore.Start(ctx, b.x, p, []int{0, 1})
	run.Then(func(Out, error) { b.x.Note("end"); b.over = true })
	var actions []explore.Action
	if trouble == "cancel" {
		actions = append(actions, explore.Action{Name: "cancel", Do: func() { run.Cancel(nil) }})
	}
	if bad = b.x.Run(actions...); bad != nil {
		return out, nil, bad
	}
	if errs := b.x.Loop().Errors(); len(errs) > 0 {
		return out, nil, fmt.Errorf("reported: %w", errors.Join(errs...))
	}
	out, err = run.Result()
	return out, err, nil
}

func everyTask(ctx context.Context, x *explore.Trial, bound int, trouble string) error {
	b := &brood{x: x, added: []int{0, 1}}
	end := step.Func(func(as step.Scope, n int) (int, error) {
		if trouble == "a task fails" && n == 3 {
			return 0, errFallen
		}
		for range 2 { // tasks 0, 1 and 2 have two children each
			if n < 3 {
				family.Go(as, len(b.added))
				b.added = append(b.added, len(b.added))
			}
		}
		return n, nil
	})
	done := step.Map(func(n int) int {
		b.ends(n)
		return n
	})
	out, err, bad := runBrood(ctx, b, family.All(bound, b.task(flow.Named("inner", flow.Then(end, done)))), trouble)
	if bad != nil {
		return bad
	}
	return b.judge(bound, trouble, out, err)
}

func (b *brood) judge(bound int, trouble string, out []int, err error) error {
	switch {
	case !b.over || b.late:
		return fmt.Errorf("ended: %v, a task began after that: %v", b.over, b.late)
	case len(slices.Compact(slices.Sorted(slices.Values(b.begun)))) != len(b.begun) || len(b.begun) > len(b.added):
		return fmt.Errorf("begun are %v", b.begun)
	case b.most > bound || len(b.done)+len(b.left) > len(b.begun):
		return fmt.Errorf("%d at a time, of %d done %d, left %d", b.most, len(b.begun), len(b.done), len(b.left))
	case err == nil && (trouble == "a task fails" || !slices.Equal(out, b.added) || len(b.done) != 8):
		return fmt.Errorf("got %v", out)
	case err != nil && (trouble == "none" || errors.Is(err, errFallen) != (trouble == "a task fails")):
		return err
	default:
		return nil
	}
}
