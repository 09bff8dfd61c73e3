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

// Law 75, P6, P8: under every schedule with few delays, with cancels, the result of a group is that of its first task to
// succeed. Each task begins at most once, none after the end of the group, and no more of them end or are left than have begun. If
// all tasks fail, the group fails with their error.
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
			return 0, errFallen
		}
		if winner < 0 {
			winner = n
		}
		b.ends(n)
		return n, nil
	})
	out, err, bad := runBrood(ctx, b, family.First(bound, b.task(end)), trouble)
	if bad != nil {
		return bad
	}
	switch {
	case !b.over || b.late || b.most > bound:
		return fmt.Errorf("ended: %v, a task began after that: %v, %d at a time", b.over, b.late, b.most)
	case len(slices.Compact(slices.Sorted(slices.Values(b.begun)))) != len(b.begun) || len(b.done)+len(b.left) > len(b.begun):
		return fmt.Errorf("begun %v, done %v, %d left", b.begun, b.done, len(b.left))
	case err == nil && out != winner:
		return fmt.Errorf("got %d, but %d was first", out, winner)
	case err == nil && winner < 0, err != nil && winner >= 0 && trouble != "cancel", err != nil && trouble == "none":
		return fmt.Errorf("got %d, %w, the first is %d", out, err, winner)
	case trouble == "all fail" && (len(b.left) != 5 || !errors.Is(err, errFallen)):
		return fmt.Errorf("%d have failed, got %w", len(b.left), err)
	default:
		return nil
	}
}
