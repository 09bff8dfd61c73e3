package explore_test

import (
	"context"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

// Two branches each add 50 to a balance: they read it, and write the sum. On an ordinary loop the first branch has written
// before the second one reads, because a run executes several steps in one turn, and a test passes. Here a turn has one step,
// so that the branches alternate even in the plain order, and an addition is lost.
func Example() {
	deposit := func(balance *int) step.Step[int, int] {
		read := step.Map(func(int) int { return *balance })
		write := step.Map(func(seen int) int {
			*balance = seen + 50
			return *balance
		})
		return flow.Then(read, write)
	}
	r := explore.All(explore.Bounds{}, func(x *explore.Trial) error {
		balance := 0
		run := explore.Start(context.Background(), x, flow.Par(deposit(&balance), deposit(&balance)), 0)
		if err := x.Run(); err != nil {
			return err
		}
		if seen, _ := run.Result(); balance != 100 {
			return fmt.Errorf("the balance is %d, the branches saw %v", balance, seen)
		}
		return nil
	})
	fmt.Println(r.Failure.Err)
	fmt.Println("schedule:", r.Failure.Schedule)
	// Output:
	// the balance is 50, the branches saw [50 50]
	// schedule: plain
}

// A charge is confirmed by a callback that is ready before the timeout, so an ordinary test passes. On a loop that is held up
// the timer fires first, and the second attempt charges again.
func ExampleTrial_Slow() {
	r := explore.All(explore.Bounds{}, func(x *explore.Trial) error {
		x.Slow()
		charged := 0
		charge := step.New(func(as step.Scope, amount int) step.Next[int] {
			charged += amount
			return step.Wait(as, func(done step.Done[int]) {
				_, _ = as.Loop().Immediate(func() { done.Succeed(amount) })
			})
		})
		again := func(as step.Scope, _ error) step.Next[int] { return step.Into(as, charge, 50) }
		explore.Start(context.Background(), x, flow.Catch(flow.Timeout(time.Second, charge), again), 50)
		if err := x.Run(); err != nil {
			return err
		}
		if charged != 50 {
			return fmt.Errorf("charged %d", charged)
		}
		return nil
	})
	fmt.Println(r.Failure.Err, r.Failure.Notes)
	// Output:
	// charged 100 [1s pass]
}
