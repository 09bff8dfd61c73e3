package laws_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

// fallenTasks are the errors of tasks, by their numbers.
var fallenTasks = [5]error{errors.New("task 0"), errors.New("task 1"), errors.New("task 2"), errors.New("task 3"), errors.New("task 4")}

// Law 75, P6, P8: under every schedule with few delays, with cancels, the result of a group is that of its first task to
// succeed. Each task begins at most once, none after the end of the group, and each that has begun has ended or was left before the
// group ends. If all tasks fail, the group's error has the error of each.
func TestP8EveryScheduleOfAFirst(t *testing.T) {
	for _, bound := range []int{1, 2, 3} {
		for _, c := range []struct {
			trouble  string
			succeeds []int
		}{
			{"none", []int{0, 1, 2, 3, 4}},
			{"most fail", []int{3, 4}},
			{"all fail", nil},
			{"cancel", []int{4}},
		} {
			t.Run(fmt.Sprintf("bound %d, %s", bound, c.trouble), func(t *testing.T) {
				everySchedule(t, bounds(2, 1500), func(ctx context.Context, x *explore.Trial) error {
					return firstTask(ctx, x, bound, c.trouble, c.succeeds)
				})
			})
		}
	}
}

func firstTask(ctx context.Context, x *explore.Trial, bound int, trouble string, succeeds []int) error {
	b := &brood{x: x}
	winner := -1
	end := step.Func(func(as step.Scope, n int) (int, error) {
		if n == 0 { // it adds tasks 2, 3 and 4
			for i := range 3 {
				family.Go(as, 2+i)
			}
		}
		if !slices.Contains(succeeds, n) {
			return 0, fallenTasks[n]
		}
		if winner < 0 {
			winner = n
		}
		return n, nil
	})
	out, err, bad := runBrood(ctx, b, family.First(bound, b.task(end)), trouble)
	if bad != nil {
		return bad
	}
	if bad = b.judge(bound); bad != nil {
		return bad
	}
	switch {
	case err == nil && out != winner:
		return fmt.Errorf("got %d, but %d was first", out, winner)
	case err == nil && winner < 0, err != nil && winner >= 0 && trouble != "cancel", err != nil && trouble == "none":
		return fmt.Errorf("got %d, %w, the first is %d", out, err, winner)
	case trouble == "all fail":
		return allFallen(err)
	default:
		return nil
	}
}

func allFallen(err error) error {
	for n, want := range fallenTasks {
		if !errors.Is(err, want) {
			return fmt.Errorf("the error of task %d isn't in %w", n, err)
		}
	}
	return nil
}
