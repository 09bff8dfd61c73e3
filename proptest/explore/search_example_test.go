package explore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

var errLost = errors.New("paid, but the order is cancelled")

func outcomes(body explore.Body) int { return explore.All(explore.Bounds{}, body).Outcomes }

// Three branches that don't wait for each other begin in any of six orders.
func ExampleBody() {
	fmt.Println(outcomes(func(x *explore.Trial) error {
		branch := func(name string) step.Step[int, int] {
			return step.Map(func(n int) int { x.Note("%s", name); return n })
		}
		explore.Start(context.Background(), x, flow.Par(branch("a"), branch("b"), branch("c")), 0)
		return x.Run()
	}))
	// Output: 6
}

// order is the body of examples below: a payment, which isn't taken back, and a customer who may cancel at any time.
func order(x *explore.Trial) error {
	paid := false
	pay := step.Map(func(int) int { paid = true; return 1 })
	ship := step.Map(func(n int) int { return n })
	run := explore.Start(context.Background(), x, flow.Then(pay, ship), 0)
	err := x.Run(explore.Action{Name: "the customer cancels", Do: func() { run.Cancel(nil) }})
	if _, failed := run.Result(); failed != nil && paid {
		return errLost
	}
	return err
}

type printed struct{ testing.TB }

func (printed) Helper()                         {}
func (printed) Name() string                    { return "TestOrder" }
func (printed) Fatal(args ...any)               { fmt.Print(args...) }
func (printed) Logf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// In a test, pass its t. The deposits of the package's example take one step each here, so nothing can come between.
func ExampleCheck() {
	t := printed{}
	explore.Check(t, explore.Bounds{}, func(x *explore.Trial) error {
		balance := 0
		deposit := step.Map(func(int) int { balance += 50; return balance })
		run := explore.Start(context.Background(), x, flow.Par(deposit, deposit), 0)
		if err := x.Run(); err != nil {
			return err
		}
		seen, err := run.Result()
		x.Note("the branches saw %v", seen)
		if balance != 100 {
			return fmt.Errorf("the balance is %d", balance)
		}
		return err
	})
	// Output: 2 schedules, all there are; at least 2 different outcomes
}

func tell(f *explore.Failure) {
	fmt.Println(f.Err)
	fmt.Println("schedule", f.Schedule, "happened:", f.Notes)
}

// All tries the schedules of a small body until one fails, and simplifies that.
func ExampleAll() {
	r := explore.All(explore.Bounds{}, order)
	tell(r.Failure)
	// Output:
	// paid, but the order is cancelled
	// schedule 0.0.1 happened: [the customer cancels]
}

// Drawn tries random schedules of a body until one fails.
func ExampleDrawn() {
	r := explore.Drawn(1, 1000, order)
	fmt.Println(r.Failure.Err, r.Failure.Schedule.Delays())
	// Output: paid, but the order is cancelled 1
}

// Replay runs a schedule from a report again.
func ExampleReplay() {
	s, err := explore.Parse("0.0.1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s, "gives:", explore.Replay(s, order))
	fmt.Println("the plain one gives:", explore.Replay(nil, order))
	// Output:
	// 0.0.1 gives: paid, but the order is cancelled
	// the plain one gives: <nil>
}

// Start begins a run on the loop of the trial. An event from outside is an action, here an answer that may come too early or too
// late.
func ExampleStart() {
	inTime := 0
	r := explore.All(explore.Bounds{}, func(x *explore.Trial) error {
		var answer step.Done[string]
		ask := step.New(func(as step.Scope, _ string) step.Next[string] {
			return step.Wait(as, func(done step.Done[string]) { answer = done })
		})
		explore.Start(context.Background(), x, flow.Timeout(time.Second, ask), "?")
		return x.Run(explore.Action{Name: "the answer comes", Do: func() {
			if answer.Succeed("!") {
				inTime++
			}
		}})
	})
	fmt.Println(r.Schedules, "schedules, the answer is in time in", inTime)
	// Output: 5 schedules, the answer is in time in 1
}

// Parse reports a schedule that was copied wrong.
func ExampleParse() {
	s, err := explore.Parse("0.2.1")
	fmt.Println(s, "departs", s.Delays(), "times from the plain order,", err)
	_, err = explore.Parse("0.x")
	fmt.Println(err)
	// Output:
	// 0.2.1 departs 2 times from the plain order, <nil>
	// explore: "0.x" is no schedule: want numbers like 0.2.1
}

// Any function can choose how a trial goes on: a property testing library or, as here, a rule: the last of the ways.
func ExampleTry() {
	s, err := explore.Try(func(n int) int { return n - 1 }, order)
	fmt.Println("schedule", s, err)
	// Output: schedule 1 <nil>
}

// Choose adds an alternative to the schedules: here a fault.
func ExampleTrial_Choose() {
	r := explore.All(explore.Bounds{}, func(x *explore.Trial) error {
		answer := []string{"full", "empty", "broken"}[x.Choose(3)]
		x.Note("the disk is %s", answer)
		return nil
	})
	fmt.Println(r.Schedules, r.Outcomes, r.Complete)
	// Output: 3 3 true
}

// Requests come while others are served: three in all, at most two at a time.
func ExampleTrial_Drive() {
	r := explore.All(explore.Bounds{}, func(x *explore.Trial) error {
		sent, open := 0, 0
		answer := step.Map(func(n int) int { open--; return n })
		return x.Drive(func() []explore.Action {
			if sent == 3 || open == 2 {
				return nil
			}
			return []explore.Action{{Name: "request", Do: func() {
				sent++
				open++
				explore.Start(context.Background(), x, answer, sent)
			}}}
		})
	})
	fmt.Println(r.Schedules, "schedules, complete:", r.Complete)
	// Output: 190 schedules, complete: true
}
