package plantest

import (
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// BrokenRule is in the text of the error that [BreakRule] causes. The code of that error is fault.InvalidRequest.
const BrokenRule = "a cancel hook must not be nil"

// BreakRule breaks some rule in the step of as, for tests of what a broken rule leads to. It may break another rule one day,
// so a test of a certain rule must break that rule itself.
func BreakRule(as step.Scope) { as.SetCancel(nil) }

// Refused returns a plan that can't be run, for tests of what such a plan leads to. Its error may change.
func Refused[In, Out any]() flow.Plan[In, Out] { return flow.Of(step.Map[In, Out](nil)) }
