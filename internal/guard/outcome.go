package guard

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// clock is how a ticket measures the time of its section.
type clock uint8

const (
	none  clock = iota
	exact       // from the moment when the ticket is inside
	late        // from the end of the turn in which the section begins, or earlier: see ClockWaits
)

// Clock makes Outcome measure how long the section takes. A guard calls it from Enter.
func (c *Ticket) Clock() { c.clock = exact }

// ClockWaits is Clock for a guard that needs only the times of sections that wait. The time begins at the end of the turn of
// the run in which the section begins, or earlier, see [frame.Stopwatch].
func (c *Ticket) ClockWaits() { c.clock = late }

func (c *Ticket) startClock() {
	if c.watch == nil {
		c.watch = new(frame.Stopwatch)
	}
	r := c.frame.Run()
	if c.watch.Start(r); c.clock == exact {
		r.Host() // starts the measuring now
	}
}

// Lasted reports whether a turn of the run has ended during the section, because the section has waited or let others go
// first. It is false without Clock or ClockWaits.
func (c *Ticket) Lasted() bool { return c.clock != none && c.watch.Lasted() }

// Outcome describes how a section has ended.
type Outcome struct {
	Err       error         // nil after a success or a signal; otherwise the error, or the cause of the cancel
	Cancelled bool          // the section was cancelled from outside, not because of a limit around it
	Outer     bool          // a limit around the section, or the deadline of the run's context, has passed
	Took      time.Duration // see Clock and ClockWaits; 0 without them, if no step has begun, or if the section ended before the time began
}

// Outcome returns how the section of the ticket has ended. It is valid after End has returned Leave, until Leave of the guard
// has returned.
func (c *Ticket) Outcome() Outcome {
	cut, err := c.frame.Outcome()
	o := Outcome{Err: err, Cancelled: cut == frame.Dropped, Outer: cut == frame.Limited}
	if c.clock != none && !c.unused {
		o.Took = c.watch.Since(c.frame.Run())
	}
	return o
}

// Report tells the observer of the run, if there is one, that the guard of the ticket has changed. what names the guard and
// its new state. Call Report on the loop of the run, inside of a method of the guard.
func (c *Ticket) Report(what string) { c.frame.ReportGuard(what) }
