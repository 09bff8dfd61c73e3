package temporal

import (
	"errors"
	"log/slog"
	"testing"

	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/proptest/script"
)

// In a workflow the programs of the reference implementation have the traces that they have elsewhere, with the same times.
func TestConformance(t *testing.T) {
	programs := enginetest.Programs(t)
	for _, p := range programs {
		t.Run(p.Name, func(t *testing.T) { wantConforming(t, p) })
	}
	t.Logf("%d programs", len(programs))
	if len(programs) < 500 {
		t.Errorf("only %d programs", len(programs))
	}
}

func wantConforming(t *testing.T, c enginetest.Conforming) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterWorkflowWithOptions(Conform, workflow.RegisterOptions{Name: "conform"})
	env.ExecuteWorkflow("conform", c)
	var diff string
	if err := env.GetWorkflowResult(&diff); err != nil || diff != "" {
		t.Errorf("%v\n%s\nprogram: %s", err, diff, c.Program)
	}
}

// Conform is a workflow that runs a program. Its result is how the trace differs from the expected one; "" if it doesn't.
//
// The clock of the loop shows the time for which the last timer was set. A server fires timers some milliseconds late, and these
// would be in the trace.
func Conform(ctx workflow.Context, c enginetest.Conforming) (string, error) {
	p, err := script.Decode(c.Program)
	if err != nil {
		return "", err
	}
	x := definition{Definition: engine.NewDefinition("script")}.open(ctx)
	var reported []error
	x.report = func(err error) { reported = append(reported, err) }
	var broken error
	got, err := script.RunOn(p, x.loop, func() []error {
		broken = x.idle()
		return reported
	})
	if err = errors.Join(err, broken); err != nil {
		return "", err
	}
	return script.Diff(c.Expect, got), nil
}

func (x *instance) idle() error {
	for {
		for x.loop.Iterate() {
		}
		if _, more := x.loop.Next(); !more {
			return nil
		}
		if x.arm() {
			continue
		}
		if err := workflow.Await(x.ctx, x.ready); err != nil {
			return err
		}
		x.at = max(x.at, x.alarm.passed())
	}
}
