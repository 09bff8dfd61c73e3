package observe

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/op"
)

// Event is one thing that happened in a run. Its fields may be kept; its methods
// work only until the [Watch] that got it returns, and return zero values for
// events of the run itself.
type Event struct {
	Kind Kind
	// At is when the event happened: the time since Run.Started, by the clock of the run's
	// loop, which is virtual in tooltest.
	At time.Duration
	// Err is described with each Kind that has one. It is nil for other kinds.
	Err error
	// Outcome tells how the handler has answered; it is set for Handled only.
	Outcome fault.Outcome
	// Note is the guard and its new state; it is set for GuardChanged only.
	Note string

	frame    *frame.Frame
	progress *frame.Progress
}

// Kind is the kind of an event.
type Kind uint8

const (
	// StepStart comes before the body of a step is called.
	StepStart Kind = iota
	// StepEnd is the end of a step. Err is nil if the step has succeeded, or was left by break
	// or continue; otherwise Err is the error, or the cause of the cancel, that ended it. Steps that a
	// flow.Linger has left behind when the run ends have no StepEnd.
	StepEnd
	// Raised: Err was raised at the step.
	Raised
	// Handled: the handler of the step was given Err and has answered.
	Handled
	// Suspended: the step waits for something outside to complete it.
	Suspended
	// Queued: the step waits for a guard to let it in.
	Queued
	// GuardChanged: the guard of the step, a section, has changed its state because
	// of this section. Note names the guard and the new state: "breaker payments: open".
	GuardChanged
	// Progress: the step, a sink of package stream, tells how far its stream has got. The event
	// comes at most every 100 ms while elements move, and once when the stream has ended; see
	// [Event.Stages].
	Progress
	// Resumed: a Suspended or Queued step goes on.
	Resumed
	// TimedOut: a limit has passed. In an event of a step it is the limit of the step, or the grace
	// of a step that may finish when it is left, such as a flow.Shield. In an event of the run it is
	// the deadline of the run's context. Err is the error of that limit; for a grace it has the code
	// fault.CutOff.
	TimedOut
	// Cancelled: the run is cancelled because of Err. Its steps, if any are left, end next.
	Cancelled
	// RunEnd is the end of the run: Err is its error, or nil if it has a value. The callers of
	// Wait haven't been given the result yet.
	RunEnd
)

// This compiles only if RunEnd has the same number in this package and in frame.
var _ = [1]struct{}{}[RunEnd-Kind(frame.RunEnd)]

// kinds has one text for each kind. With more or fewer texts it doesn't compile.
var kinds [RunEnd + 1]string = [...]string{
	"step start", "step end", "raised", "handled", "suspended", "queued", "guard changed", "progress", "resumed", "timed out",
	"cancelled", "run end",
}

// String returns the kind in words: "step start".
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return "unknown"
}

func event(e frame.Event) Event {
	return Event{Kind: Kind(e.Kind), At: e.At, Err: e.Err, Outcome: e.Outcome, Note: e.Note, frame: e.Frame, progress: e.Progress}
}

// IsStep reports whether the event is about a step, not about the run as a whole.
func (e Event) IsStep() bool { return e.frame != nil }

// Path returns the place of the step in the plan, as in errors: "0/par.1/2". Each call builds the
// string anew.
func (e Event) Path() string {
	if e.frame == nil {
		return ""
	}
	return e.frame.Path()
}

// Name returns the name that flow.Named gave the step, or else the function that the step calls, as in flow.Tree.Func. It
// returns "" if the step has neither.
func (e Event) Name() string {
	if e.frame == nil {
		return ""
	}
	return e.frame.Info().Called()
}

// StepKind returns the kind of the step: "func", "par", "sync", ….
func (e Event) StepKind() string {
	if e.frame == nil {
		return ""
	}
	return e.frame.Info().Kind
}

// Label returns the step's name, or its kind if it has none.
func (e Event) Label() string {
	if name := e.Name(); name != "" {
		return name
	}
	return e.StepKind()
}

// Attempt returns the number, from 1, of the attempt of the nearest retry around the step, and how many attempts there may
// be, 0 for any number: see package retry. The attempt itself is a step of the kind "attempt": its StepStart is the start of
// the attempt, and Handled with the outcome fault.Recovered means that it has failed and another one is to follow. Both
// numbers are 0 for the run and for steps outside of any retry.
func (e Event) Attempt() (n, most int) {
	if e.frame == nil {
		return 0, 0
	}
	return e.frame.Attempt()
}

// Winners returns which branches or tasks have decided a race, such as flow.First, Some, Race or Hedge, at the StepEnd of a
// race that has succeeded. The result has their indexes from 0, in the order in which they succeeded. For Hedge it is [1] if
// the second branch was needed and has won. For other events it is nil.
func (e Event) Winners() []int {
	if e.frame == nil || e.Kind != StepEnd || e.Err != nil {
		return nil
	}
	return e.frame.Winners()
}

// Cancelled reports, at the StepEnd of a step, whether something outside of the step has ended it: a cancel of the run, a limit
// further out, a branch beside it. Err is the reason then. If an error has ended the step, or for other events, it returns false.
func (e Event) Cancelled() bool {
	return e.frame != nil && e.Kind == StepEnd && e.Err != nil && e.frame.Dropped()
}

// Site returns where the step was built.
func (e Event) Site() fault.Site {
	if e.frame == nil {
		return fault.Site{}
	}
	return e.frame.Info().Site()
}

// Stack returns the step and the steps that hold it, innermost first. It leaves out the outer end of a very deep stack.
func (e Event) Stack() []fault.Frame {
	if e.frame == nil {
		return nil
	}
	return e.frame.Stack()
}

// IsSection reports whether the step is a section of the guard g, made by syncx.Sync(g, …). A syncx.MaxWait around g makes no
// difference, neither in the plan nor here.
func IsSection[G comparable](e Event, g G) bool {
	if e.frame == nil {
		return false
	}
	return op.IsSection(e.frame, g)
}
