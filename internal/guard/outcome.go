package guard

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Clock makes Outcome measure how long the section takes. A guard calls it from
// Enter.
func (c *Ticket) Clock() { c.clocked = true }

// Outcome is how a section has ended.
type Outcome struct {
	Err       error         // nil after a success or a signal; otherwise the error, or the cause of the cancel
	Cancelled bool          // the section was cancelled from outside, not because of a limit around it
	Outer     bool          // a limit around the section has passed
	Took      time.Duration // the time since it was let in; zero without Clock, and if no step of the section has begun
}

// Outcome returns how the section of the ticket has ended. It is valid after End has reported
// Leave, until the guard has returned.
func (c *Ticket) Outcome() Outcome {
	cut, err := c.frame.Outcome()
	o := Outcome{Err: err, Cancelled: cut == frame.Dropped, Outer: cut == frame.Limited}
	if c.clocked && !c.unused {
		o.Took = c.frame.Run().Host().Now() - c.since
	}
	return o
}

// Report reports to the observer of the run, if there is one, that the guard of the ticket has
// changed: what names the guard and its new state. Call it on the loop of the run, while the
// machine calls the guard.
func (c *Ticket) Report(what string) { c.frame.ReportGuard(what) }
