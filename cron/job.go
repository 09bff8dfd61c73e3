package cron

import (
	"slices"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Job is work that a [Table] does again and again. A round is one execution of Work. Rounds of one job don't
// overlap. But a body of step.Await that is left, such as after Limit or when another round takes its place, is
// waited for only as long as its grace. After that it may go on beside the next round. With a flow.Grace of -1 around
// Work the next round, and the end of the run, wait for it. A Job is a value: the Table keeps a copy. To count or time
// each round, make Work a flow.Bracket: [Table.List] tells of the last round only.
type Job struct {
	// Name is the name of the job in its table, in errors and in pictures. It must not be empty, and
	// no other job of the table may have it.
	Name string

	// Next returns the time of the first round after the given time, or the zero time if there is none. It is
	// called on the loop of the run and must not block. [Every] makes one for a period. If Next
	// panics, or returns a time that isn't later than after, the run of the table fails.
	//
	// If the clock is set back, Next is called with the time by the clock. If it returns a time before the latest round, rounds
	// begin at such times again; otherwise after stays the time of the latest round. If the clock is set forward, a wait that has
	// begun doesn't become shorter.
	Next func(after time.Time) time.Time

	// Period, if above 0, stands for the Next of [Every], so that a job with a period can be read from a
	// file; Next must be nil then.
	Period time.Duration

	// Spec is the text that Next was made from, such as "30 3 * * *". It is only shown in lists.
	Spec string

	// Work is what a round does: step.Act of a function, or any plan by [Of].
	Work step.Step[step.Unit, step.Unit]

	// Jitter bounds how much later than its time a round begins: the delay is a random part of Jitter, drawn for each round by the
	// loop. It spreads the jobs of many processes. 0 is no delay.
	Jitter time.Duration

	// Limit is how long a round may take. A round that takes longer fails with fault.Timeout. 0 is no limit.
	Limit time.Duration

	// Overlap decides what a time that comes, or a call of Table.RunNow, does while a round is at work.
	Overlap Overlap
}

// Overlap says how a job treats the times that pass while one of its rounds is at work.
type Overlap uint8

// The values of Overlap.
const (
	Skip    Overlap = iota // times are left out
	Later                  // one round stands for all times, right after the one at work
	Each                   // each time has its round, one after the other
	Replace                // the round at work is cancelled, and left entirely, before the new one begins
)

var overlaps = [...]string{"skip", "later", "each", "replace"}

// String returns the text, such as "skip", or "unknown".
func (o Overlap) String() string {
	if int(o) < len(overlaps) {
		return overlaps[o]
	}
	return "unknown"
}

// MarshalText implements encoding.TextMarshaler.
func (o Overlap) MarshalText() ([]byte, error) {
	if int(o) >= len(overlaps) {
		return nil, invalid("Overlap is unknown")
	}
	return []byte(overlaps[o]), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *Overlap) UnmarshalText(text []byte) error {
	i := slices.Index(overlaps[:], string(text))
	if i < 0 {
		return invalid(strconv.Quote(string(text)) + " is no overlap: skip, later, each or replace")
	}
	*o = Overlap(i)
	return nil
}

// Every returns a Next for a period: the whole multiples of d since the zero time, in UTC. Rounds of a minute are on the minute, in
// each process, and don't drift. If d isn't positive Every returns nil, and a job with such a Next and no Period isn't well formed.
func Every(d time.Duration) func(after time.Time) time.Time {
	if d < 1 {
		return nil
	}
	return func(after time.Time) time.Time { return after.Truncate(d).Add(d) }
}

// Of makes the Work of a [Job] from any plan: each round runs s with the given input and drops its
// result. If the input is a pointer or a map, rounds share what it points to. A nil s is reported by
// flow.Plan.Err of the table's plan.
func Of[In, Out any](s step.Step[In, Out], in In) step.Step[step.Unit, step.Unit] {
	drop := step.Map(func(Out) step.Unit { return step.Unit{} })
	return flow.Then(flow.Value[step.Unit](in), flow.Then(s, drop))
}

func (j *Job) next() func(after time.Time) time.Time {
	if j.Next == nil {
		return Every(j.Period)
	}
	return j.Next
}

func (j *Job) spec() string {
	if j.Spec == "" && j.Period > 0 {
		return "every " + j.Period.String()
	}
	return j.Spec
}

// badTimes returns what is wrong with the times and the overlap of j, "" if nothing is.
func (j *Job) badTimes() string {
	switch {
	case j.Period < 0:
		return "Period is below zero: " + j.Period.String()
	case j.Period > 0 && j.Next != nil:
		return "Next and Period are both set"
	case j.Jitter < 0:
		return "Jitter is below zero: " + j.Jitter.String()
	case j.Limit < 0:
		return "Limit is below zero: " + j.Limit.String()
	case j.Overlap > Replace:
		return "Overlap is unknown"
	default:
		return ""
	}
}

func (j *Job) bad() string {
	switch bad := j.badTimes(); {
	case bad != "":
		return bad
	case j.Name == "":
		return "the name is empty"
	case j.next() == nil:
		return "Next is nil, or a period isn't positive"
	case j.Work == nil:
		return "Work is nil"
	}
	if err := flow.Of(j.Work).Err(); err != nil {
		return "Work: " + err.Error()
	}
	return ""
}

func invalid(info string) error { return fault.New(fault.InvalidRequest, "cron: "+info) }
