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
// and no more than the bound are under way at the same time. Each that has begun has ended or was left before the group ends. If
// nothing goes wrong each task has its result, in the order in which tasks were added.
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

// brood records what becomes of the tasks of one group, by their numbers.
type brood struct {
	x                  *explore.Trial
	added, begun, over []int // over are those that have ended or were left
	now, most          int   // how many are under way, and the most so far
	ended, late        bool  // the group has ended; a task has begun after that
	survived           []int // tasks under way when the group ended
}

// task returns a task that begins, waits, and then executes end.
func (b *brood) task(end step.Step[int, int]) step.Step[int, int] {
	waits := step.New(func(as step.Scope, n int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) { _, _ = as.Loop().Immediate(func() { done.Succeed(n) }) })
	})
	rest := flow.Chain(pass, waits, end) // others go on between two steps
	return step.New(func(as step.Scope, n int) step.Next[int] {
		b.begins(n)
		step.StackCleanup(as, func(*int) { b.ends(n) })
		return step.Into(as, rest, n)
	})
}

func (b *brood) begins(n int) {
	b.x.Note("begin %d", n)
	b.begun = append(b.begun, n)
	b.now++
	b.most = max(b.most, b.now)
	b.late = b.late || b.ended
}

func (b *brood) ends(n int) {
	b.x.Note("over %d", n)
	b.over = append(b.over, n)
	b.now--
}

func (b *brood) end() {
	if b.ended {
		return
	}
	b.x.Note("end")
	b.ended = true
	for _, n := range b.begun {
		if !slices.Contains(b.over, n) {
			b.survived = append(b.survived, n)
		}
	}
}

// runBrood runs the group p with the tasks 0 and 1, and those that they add.
func runBrood[Out any](ctx context.Context, b *brood, p step.Step[[]int, Out], trouble string) (out Out, err, bad error) {
	whole := flow.Then(flow.OnCancel(p, func(step.Scope) { b.end() }), step.Map(func(out Out) Out { b.end(); return out }))
	run := explore.Start(ctx, b.x, whole, []int{0, 1})
	run.Then(func(Out, error) { b.end() })
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
	out, err, bad := runBrood(ctx, b, family.All(bound, b.task(flow.Named("inner", flow.Then(end, pass)))), trouble)
	if bad != nil {
		return bad
	}
	if bad = b.judge(bound); bad != nil {
		return bad
	}
	switch {
	case len(b.begun) > len(b.added):
		return fmt.Errorf("added %v, begun %v", b.added, b.begun)
	case err == nil && (trouble == "a task fails" || !slices.Equal(out, b.added) || len(b.over) != 8):
		return fmt.Errorf("got %v", out)
	case err != nil && (trouble == "none" || errors.Is(err, errFallen) != (trouble == "a task fails")):
		return err
	default:
		return nil
	}
}

// judge checks what holds for all groups of tasks, however they end.
func (b *brood) judge(bound int) error {
	begun := slices.Sorted(slices.Values(b.begun))
	switch {
	case !b.ended || b.late:
		return fmt.Errorf("ended: %v, a task began after that: %v", b.ended, b.late)
	case b.survived != nil:
		return fmt.Errorf("%v have survived the group", b.survived)
	case b.most > bound:
		return fmt.Errorf("%d at a time", b.most)
	case len(slices.Compact(slices.Clone(begun))) != len(begun):
		return fmt.Errorf("begun are %v", b.begun)
	case !slices.Equal(slices.Sorted(slices.Values(b.over)), begun):
		return fmt.Errorf("begun are %v, over %v", b.begun, b.over)
	default:
		return nil
	}
}
