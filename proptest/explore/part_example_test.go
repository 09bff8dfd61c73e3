package explore_test

import (
	"context"
	"fmt"

	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// Two runs share nothing, so it isn't tried which one goes first.
func ExampleTrial_Apart() {
	r := explore.All(explore.Bounds{}, func(x *explore.Trial) error {
		for _, name := range []string{"a", "b"} {
			x.Apart(name, func() { explore.Start(context.Background(), x, wait(), 1) })
		}
		return x.Run()
	})
	fmt.Println(r.Schedules, r.Complete)
	// Output: 1 true
}

// The notes of each client count, not which client was first.
func ExampleTrial_NotesApart() {
	r := explore.All(explore.Bounds{}, func(x *explore.Trial) error {
		x.NotesApart()
		return x.Run(
			explore.Action{Name: "order", Part: "client 1", Do: func() {}},
			explore.Action{Name: "order", Part: "client 2", Do: func() {}},
		)
	})
	fmt.Println(r.Schedules, r.Outcomes)
	// Output: 1 1
}
