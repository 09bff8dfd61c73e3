package durabletest

import (
	"go.temporal.io/sdk/testsuite"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
)

// Run runs the plan in the SDK's test environment, without a server, and returns its result. Bodies are called, and timers take no
// time. Errors are those that durable.Run.Wait returns on a server. A run that begins anew ends with the SDK's ContinueAsNewError.
// Each prepare is called with the environment before the run begins: to send signals, to cancel, to replace bodies by mocks.
func Run[In, Out any](w *durable.Workflow[In, Out], in In, prepare ...func(*testsuite.TestWorkflowEnvironment)) (out Out, err error) {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet)
	e := suite.NewTestWorkflowEnvironment()
	if err = temporal.Of(w).Register(e); err != nil {
		return out, err
	}
	for _, fn := range prepare {
		fn(e)
	}
	e.ExecuteWorkflow(w.Name(), in)
	if err = e.GetWorkflowError(); err != nil {
		return out, temporal.Of(w).Decode(err)
	}
	return out, e.GetWorkflowResult(&out)
}
