package guard

import "time"

// Clock makes Outcome measure how long the section takes. A guard calls it from
// Enter.
func (c *Ticket) Clock() { c.clocked = true }

// Outcome is how a section has ended.
type Outcome struct {
	Err       error         // nil: with success or a signal; otherwise the error, or the cause of the cancel
	Cancelled bool          // it was cancelled from outside, and not because of a limit around it
	Took      time.Duration // since it was let in; zero without Clock
}

// Outcome is how the section of the ticket has ended, once End has reported Leave
// and until the guard has returned.
func (c *Ticket) Outcome() Outcome {
	var o Outcome
	o.Err, o.Cancelled = c.frame.Outcome()
	if c.clocked && !c.unused {
		o.Took = c.Loop().Host().Now() - c.since
	}
	return o
}

// Report tells the observer of the run, if any, that the guard of the ticket has
// changed: what says which guard it is, and its new state. On the loop of the run,
// while the guard is asked or told.
func (c *Ticket) Report(what string) { c.frame.ReportGuard(what) }
