package laws_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

// lingers returns r with a Linger around each branch whose bit is set in which.
func (r racing) lingers(which int) racing {
	of := r.of
	r.of = func(b []step.Step[int, int]) step.Step[int, []int] {
		for i := range b {
			if which>>i&1 != 0 {
				b[i] = flow.Linger(time.Hour, b[i])
			}
		}
		return of(b)
	}
	return r
}

// Law 83, P6, P10: under every schedule with few delays a race of lingering branches is decided when enough branches have
// succeeded. No body of another branch is called after that, even if the run yields between the end of the branch and that of
// the race. A branch that has begun succeeds or is left once, before the run ends.
func TestP10EveryScheduleOfALingeringRace(t *testing.T) {
	const n = 2
	for _, r := range racings {
		for fails := range 1 << n {
			for which := 1; which < 1<<n; which++ {
				t.Run(fmt.Sprintf("%s, %02b linger, %02b fail", r.name, which, fails), func(t *testing.T) {
					everySchedule(t, bounds(2, 1500), func(ctx context.Context, x *explore.Trial) error {
						return everyRace(ctx, x, r.lingers(which), n, fails)
					})
				})
			}
		}
	}
}
