package explore_test

import (
	"context"
	"fmt"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

// Two branches each add 50 to a balance: they read it, look something up, and
// write it. In the plain order the first has written before the second reads,
// and a test of one order passes. Under another one an addition is lost.
func Example() {
	deposit := func(balance *int) step.Step[int, int] {
		read := step.Map(func(int) int { return *balance })
		write := step.Map(func(seen int) int {
			*balance = seen + 50
			return *balance
		})
		return flow.Then(read, write)
	}
	r := explore.All(explore.Bounds{Delays: 3}, func(x *explore.Trial) error {
		balance := 0
		run := flow.Start(context.Background(), x.Loop(), flow.Par(deposit(&balance), deposit(&balance)), 0)
		if err := x.Run(); err != nil {
			return err
		}
		if seen, _ := run.Result(); balance != 100 {
			return fmt.Errorf("the balance is %d, the branches saw %v", balance, seen)
		}
		return nil
	})
	fmt.Println(r.Failure.Err)
	// Output:
	// the balance is 50, the branches saw [50 50]
}
