package flow_test

import (
	"context"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func ExampleWithOptions() {
	ctx := flow.WithOptions(context.Background(), tool.Options{
		OnError: func(err error) { fmt.Println("reported:", err) },
	})
	plan := flow.Timeout(time.Second, step.Func(func(as step.Scope, name string) (string, error) {
		_, err := as.Loop().Immediate(func() { panic("nobody waits for this") })
		return "Hello, " + name, err
	}))
	fmt.Println(flow.Run(ctx, plan, "Ann"))
	// Output:
	// reported: tool: callback panicked: nobody waits for this
	// Hello, Ann <nil>
}
