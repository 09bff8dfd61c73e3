package explore_test

import (
	"fmt"

	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// Three workers take three steps each. The order of most callbacks has no visible effect. The state holds the progress of
// each worker and the notes so far, so every order of notes is still found.
func ExampleTrial_State() {
	search := func(told bool) explore.Result {
		return explore.All(explore.Bounds{}, func(x *explore.Trial) error {
			at := make([]int, 3)
			if told {
				x.State(func() string { return fmt.Sprint(at, x.Notes()) })
			}
			for i := range at {
				var next func()
				next = func() {
					if at[i]++; at[i] == 3 {
						x.Note("worker %d is done", i)
						return
					}
					_, _ = x.Loop().Immediate(next)
				}
				_, _ = x.Loop().Immediate(next)
			}
			return x.Run()
		})
	}
	for _, r := range []explore.Result{search(false), search(true)} {
		fmt.Println(r.Schedules, "schedules,", r.Outcomes, "outcomes")
	}
	// Output:
	// 1680 schedules, 6 outcomes
	// 82 schedules, 6 outcomes
}
