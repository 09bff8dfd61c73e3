package flow

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Timeout limits how long s may take, with everything inside of it. When the limit passes, s is cancelled, from the
// innermost step outwards. Handlers in s aren't asked, except those in a [Shield] or the like, because the deadline
// isn't theirs to handle. Then fault.Timeout is raised at this step, for handlers around it. The error Is
// context.DeadlineExceeded too, and its Info names the step and the limit. That step is the Timeout itself, which
// holds the steps of s: to have a name in the error write Named(name, Timeout(limit, s)), not
// Timeout(limit, Named(name, s)).
//
// The limit covers s until s has been left, cleanups included: a release of Bracket, a Shield, a
// goroutine that takes its time to return. If the limit passes meanwhile, fault.Timeout takes the place
// of what s has ended with, also of a break or a continue; an error of s is then in Secondary.
//
// The limit never fires early. It begins to count when the turn of the run in which the step
// began ends, or earlier in that turn.
//
// A limit that isn't positive is reported by Plan.Err.
//
//spec:ftn12 §1.3, §2.2.2 setTimeout; rules C3, O4
func Timeout[In, Out any](limit time.Duration, s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Timeout(limit, op.Given(s, "Timeout: the stage is nil"))}
}
