package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The steps of both examples read the number of a user, request the user from a server that hangs, and greet the user.
// A handler answers in place of the server.
var (
	parse = step.Func(func(_ step.Scope, text string) (int, error) { return strconv.Atoi(text) })
	fetch = step.Await(func(ctx context.Context, id int) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	greet = step.Map(func(name string) string { return "hello " + name })
)

func anonymous(_ step.Scope, err error) step.Next[string] {
	if errors.Is(err, fault.Timeout) {
		return step.Succeed("somebody")
	}
	return step.Unwind[string]()
}

// The same plan in methods is Example_methods, for Go 1.27 and later.
func Example_functions() {
	limited := flow.Timeout(time.Millisecond, flow.Named("fetch", fetch))
	user := flow.Then(parse, flow.Catch(limited, anonymous))
	plan := flow.Then(user, greet)

	fmt.Println(flow.Run(context.Background(), plan, "42"))
	// Output: hello somebody <nil>
}
