package step_test

import (
	"context"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A pause between two tries. In tooltest it takes no time.
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
