package syncx

import (
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// BreakerPolicy holds the conditions on which a [Breaker] opens and closes. The zero policy opens after five failures in a
// row, and lets one section probe after a minute. A BreakerPolicy is a value: [NewBreaker] keeps a copy.
type BreakerPolicy struct {
	// Name is the name of the Breaker in errors and events. If it is empty, the Breaker is named by where it was made.
	Name string

	// Last is how many outcomes count: the latest ones. 0 stands for as many as Failures or
	// MinSections need. It must be 0 if Window is set, and is 16777216 at most: each takes a byte.
	Last int
	// Window is how long an outcome counts, to within a tenth. With 0 an outcome counts while it is among the latest ones, see
	// Last.
	Window time.Duration

	// Failures opens the Breaker when at least this many of the outcomes are failures. 0 stands
	// for 5 if there is no Rate, and otherwise for no bound.
	Failures int
	// Rate, from 0 to 1, opens the Breaker when at least this share of the outcomes are failures, if there are at least
	// MinSections outcomes. 0 is no such bound.
	Rate float64
	// MinSections is how many outcomes Rate needs. 0 stands for 10.
	MinSections int

	// Failure reports whether err, with which a section has ended, is a failure of what the Breaker protects; otherwise the
	// section is a success. With nil every error is a failure. Failure is called on the loop of the run. If it panics the
	// panic is reported to the loop's error handler, and err counts as a failure.
	Failure func(err error) bool
	// Ignore reports whether err says nothing about what the Breaker protects, for example because the queue of a guard
	// inside was full, or because the input was refused before the call. The section is then neither a failure nor a success,
	// and a HalfOpen Breaker lets another one probe instead. Failure isn't asked about err then. A nil Ignore ignores no
	// error. Ignore is called as Failure is.
	Ignore func(err error) bool
	// Outer is asked when a section was ended from outside: by a limit around it, or by the deadline of its run's context.
	// took is how long it had run. Outer reports whether what the Breaker protects is to blame. If so, Failure decides about
	// the error, or the section is a failure if Failure is nil; if not, the section counts as neither failure nor success.
	// With a nil Outer, what the Breaker protects is to blame if took is longer than usual for sections without an error:
	// longer than the moving average of their times plus four times their average deviation from it, or if there is no
	// average yet. Sections that end in the turn of their run in which they began don't count in the average. Outer is called
	// as Failure is. It isn't asked about an error that Ignore ignores, about a section that took longer than Slow, or about
	// limits inside of the section, whose errors Failure judges.
	Outer func(took time.Duration) bool
	// Slow is how long a section may take: one that takes longer is a failure, whatever its result, unless it is cut off or
	// its error is ignored. 0 is no bound.
	Slow time.Duration

	// Pause is how long the Breaker stays open before it lets sections probe. 0 stands
	// for a minute.
	Pause time.Duration
	// Probes is how many sections a half-open Breaker lets in, not counting those that end as neither success nor failure. If
	// all of them succeed the Breaker closes; at the first failure it opens. 0 stands for 1.
	Probes int

	// OnChange, if not nil, is called after each change of state: one call at a time, in the order of the changes. It is
	// called on the loop of the run whose section has caused the change, where a panic is reported to the loop's error handler,
	// or, if an earlier call is still under way, on the goroutine of that call. For changes by Isolate, Reset and
	// SetPolicy see [Breaker.Isolate]. By the time of the call the state may have changed again. OnChange must not block. An
	// observer of the run that has caused the change is told too: observe.GuardChanged.
	OnChange func(from, to BreakerState)
}

// BreakerState is the state of a [Breaker].
type BreakerState uint8

const (
	// Closed lets each section in. It is the first state.
	Closed BreakerState = iota
	// Open refuses sections until the pause is over, or, after Breaker.Isolate, until Breaker.Reset.
	Open
	// HalfOpen lets a few sections in, to see whether they succeed.
	HalfOpen
)

var breakerStates = [...]string{"closed", "open", "half-open"}

// String returns the state in words: "half-open".
func (s BreakerState) String() string {
	if int(s) < len(breakerStates) {
		return breakerStates[s]
	}
	return "unknown"
}

// Refusal describes why a [Breaker] has refused a section. Errors of the code [CircuitOpen] wrap it.
type Refusal struct {
	// Breaker is the name of the Breaker, as Breaker.String gives it.
	Breaker string
	// State is Open or HalfOpen.
	State BreakerState
	// After is how long to wait before another try may succeed. It is 0 if that isn't known: a HalfOpen Breaker may close as
	// soon as its probes have ended, and one that was opened by hand stays open until it is closed by hand.
	After time.Duration
}

// Error returns the name, the state and the time as a sentence.
func (r *Refusal) Error() string {
	text := r.Breaker + " is " + r.State.String()
	if r.After > 0 {
		text += ", try again in " + r.After.String()
	}
	return text
}

func (b *Breaker) refusal(after time.Duration) error {
	return fault.Wrap(CircuitOpen, "", &Refusal{Breaker: b.String(), State: b.state, After: after})
}

const (
	defaultFailures    = 5
	defaultMinSections = 10
	defaultPause       = time.Minute
)

// mostLast is the largest number of outcomes that a Breaker without a Window remembers.
const mostLast = 1 << 24

func (p *BreakerPolicy) complete() error {
	if bad := p.defect(); bad != "" {
		return invalid("breaker: " + bad)
	}
	if p.Failures == 0 && p.Rate == 0 {
		p.Failures = defaultFailures
	}
	if p.MinSections == 0 && p.Rate > 0 {
		p.MinSections = defaultMinSections
	}
	if p.Last == 0 && p.Window == 0 {
		p.Last = max(p.Failures, p.MinSections)
	}
	if p.Pause == 0 {
		p.Pause = defaultPause
	}
	if p.Probes == 0 {
		p.Probes = 1
	}
	switch {
	case p.Window > 0:
	case p.Last < max(p.Failures, p.MinSections):
		return invalid("breaker: Last is " + strconv.Itoa(p.Last) + ", fewer than Failures or MinSections")
	case p.Last > mostLast:
		return invalid("breaker: " + strconv.Itoa(p.Last) + " outcomes are too many without a Window, which remembers any number")
	}
	return nil
}

func (p *BreakerPolicy) defect() string {
	if bad := belowZero(
		number{"Last", int64(p.Last)}, number{"Window", int64(p.Window)}, number{"Failures", int64(p.Failures)},
		number{"MinSections", int64(p.MinSections)}, number{"Slow", int64(p.Slow)}, number{"Pause", int64(p.Pause)},
		number{"Probes", int64(p.Probes)},
	); bad != "" {
		return bad
	}
	switch {
	case !(p.Rate >= 0 && p.Rate <= 1):
		return "Rate must be from 0 to 1, got " + strconv.FormatFloat(p.Rate, 'g', -1, 64)
	case p.Last > 0 && p.Window > 0:
		return "Last and Window are both set"
	default:
		return ""
	}
}

func (p *BreakerPolicy) trips(sections, failures int) bool {
	return p.Failures > 0 && failures >= p.Failures ||
		p.Rate > 0 && sections >= p.MinSections && float64(failures)/float64(sections) >= p.Rate
}

func (p *BreakerPolicy) tally() tally {
	if p.Window > 0 {
		return &windowed{width: max(p.Window/slices, 1)}
	}
	return &ring{last: make([]bool, p.Last)}
}
