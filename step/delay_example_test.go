package step_test

import (
	"context"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// In tooltest the pause takes virtual time only.
func ExampleDelay() {
	loop := tooltest.New()
	answer := flow.Then(step.Delay[string](30*time.Second), step.Map(func(name string) string { return "hello " + name }))
	run := flow.Start(context.Background(), loop, answer, "Ann")
	loop.Run()
	fmt.Println(run.Result())
	fmt.Println(loop.Now())
	// Output:
	// hello Ann <nil>
	// 30s
}

// The pause is as long as the server asks for.
func ExampleDelayBy() {
	type answer struct{ RetryAfter time.Duration }
	loop := tooltest.New()
	wait := step.DelayBy(func(_ step.Scope, a answer) time.Duration { return a.RetryAfter })
	flow.Start(context.Background(), loop, wait, answer{RetryAfter: time.Minute})
	loop.Run()
	fmt.Println(loop.Now())
	// Output: 1m0s
}

// A mail is sent, and the order is passed on unchanged.
func ExampleDo() {
	confirm := step.Do(func(_ context.Context, order int) error {
		fmt.Println("mail: we have your order", order)
		return nil
	})
	fmt.Println(flow.Run(context.Background(), flow.Then(confirm, confirm), 7))
	// Output:
	// mail: we have your order 7
	// mail: we have your order 7
	// 7 <nil>
}
