package durabletest_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/testsuite"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var errDeclined = errors.New("declined")

var pay = step.Await(func(_ context.Context, cents int) (int, error) {
	if cents > 1000 {
		return 0, errDeclined
	}
	return cents, nil
})

var asks = durable.New("asks",
	flow.Then(pay, flow.Then(step.Map(func(int) struct{} { return struct{}{} }), flow.Timeout(72*time.Hour, durable.Signal[string]("answer")))),
	durable.Errors(map[string]error{"declined": errDeclined}))

// Timers of days take no time.
func ExampleRun() {
	fmt.Println(durabletest.Run(asks, 500, func(e *testsuite.TestWorkflowEnvironment) {
		e.RegisterDelayedCallback(func() { e.SignalWorkflow("answer", "yes") }, 48*time.Hour)
	}))
	_, err := durabletest.Run(asks, 500)
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	_, err = durabletest.Run(asks, 5000)
	fmt.Println(errors.Is(err, errDeclined))
	_, err = durabletest.Run(durable.New("", pay), 500)
	fmt.Println(err)
	// Output:
	// yes <nil>
	// true
	// true
	// InvalidRequest: the workflow has no name
}

// The history was recorded on a server, and the plan is another one.
func ExampleReplayFile() {
	err := durabletest.ReplayFile(temporal.Of(durable.New("patched", pay)), "../testdata/patch/before.json")
	fmt.Println(err != nil)
	// Output: true
}
