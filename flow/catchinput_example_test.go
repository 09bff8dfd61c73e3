package flow_test

import (
	"context"
	"fmt"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The handler asks another service, with the same input.
func ExampleCatchInput() {
	primary := step.Func(func(_ step.Scope, user string) (string, error) {
		return "", fault.New(fault.ConnectError, "primary is down")
	})
	replica := step.Map(func(user string) string { return user + " of the replica" })

	load := flow.CatchInput(primary, func(as step.Scope, user string, _ error) step.Next[string] {
		return step.Into(as, replica, user)
	})
	fmt.Println(flow.Run(context.Background(), load, "Ann"))
	// Output: Ann of the replica <nil>
}
