package syncx

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/clock"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// CircuitOpen is the code of the error of a section that a [Breaker] has refused. The error wraps a [*Refusal], which
// holds the name of the breaker and when to try again.
const CircuitOpen fault.Code = "CircuitOpen"

// Breaker refuses sections for some time after too many of them have failed, so that what has failed isn't called in vain
// and has time to recover. Flows don't wait for a Breaker: a section enters or fails, with [CircuitOpen].
//
//	Closed:   too many failures               ▶ Open
//	Open:     a section asks after Pause      ▶ HalfOpen
//	HalfOpen: a probe has failed              ▶ Open
//	HalfOpen: Probes sections have succeeded  ▶ Closed
//
// Closed, it lets each section in and counts outcomes. Open, it refuses sections. The first section that asks after Pause
// makes it HalfOpen: then it lets Probes sections in, and refuses the others. [Breaker.Isolate] and [Breaker.Reset] open and
// close it by hand.
//
// An error that leaves the section, also that of a limit inside, is a failure unless [BreakerPolicy].Failure or Ignore
// decides otherwise. A limit around the section, or the deadline of the run's context, counts in the same way if the section
// has run longer than sections without an error usually do, see [BreakerPolicy].Outer. Otherwise the caller was impatient,
// and the section is neither a failure nor a success. A section that is cut off is neither as well, for instance because the
// run was cancelled, or a branch beside it has failed or has won a race; if it was a probe, another section may probe. A
// value is a success, and so is a break or continue. A section that took longer than [BreakerPolicy].Slow is a failure in all
// of these cases, unless it was cut off or its error is ignored. Sections that were let in before the last change of state
// don't count.
//
// A section inside of another section of the same Breaker, in the same flow, is let
// in without being counted.
//
// A Breaker is safe for concurrent use, by runs on any loops. Its time is that of the
// loops that use it: virtual on a virtual loop. It must not be copied. The zero
// Breaker isn't well formed: use [NewBreaker].
//
//spec:ftn12 §1.11.3; rule G6
type Breaker struct {
	how  atomic.Pointer[BreakerPolicy] // SetPolicy changes it under mu; nil in the zero Breaker
	name func() string
	bad  error

	mu      sync.Mutex
	state   BreakerState
	held    bool          // Isolate has opened the Breaker: the pause doesn't end
	era     uint64        // counts the changes of state
	seen    tally         // for a closed Breaker: the outcomes that count
	clock   clock.Shared  // the clock of seen and opened
	opened  time.Duration // for an open Breaker: when the pause began
	probes  int           // for a half-open Breaker: number of probes inside
	passed  int           // for a half-open Breaker: number of probes that have succeeded
	usual   usual         // the times of sections that have ended without an error, and not in the turn in which they began
	holders guard.Line    // the tickets that are inside, without re-entries
	changes changes[BreakerState]
}

// NewBreaker makes a Breaker, which is Closed. If p isn't well formed, neither is the
// Breaker: plans that use it can't be run, see [Breaker.Err].
//
//spec:ftn12 §1.11.3
func NewBreaker(p BreakerPolicy) *Breaker {
	b := &Breaker{name: naming("breaker", p.Name)}
	b.bad = p.complete()
	b.how.Store(&p)
	b.changes.told = p.OnChange
	b.holders.By = guard.ByWindow
	if b.bad == nil {
		b.seen = p.tally()
	}
	return b
}

var errNoBreaker = invalid("breaker: not made by NewBreaker")

// Err returns nil if the Breaker is well formed, otherwise a fault.InvalidRequest.
func (b *Breaker) Err() error {
	if b == nil || b.how.Load() == nil {
		return errNoBreaker
	}
	return b.bad
}

// String names the Breaker for people: "breaker payments", or where it was made: "breaker (pay.go:12)". Any
// goroutine may call it.
func (b *Breaker) String() string {
	if b.Err() == errNoBreaker { //nolint:errorlint // compared by identity
		return "breaker"
	}
	return b.name()
}

// State returns the state. An open Breaker whose pause is over is Open until a section asks. Any goroutine
// may call it.
func (b *Breaker) State() BreakerState {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

// Counts returns the number of outcomes that count, and how many of them are failures. With a Window these are the outcomes
// that were in it when the latest one came. Both numbers are 0 unless the Breaker is Closed. Any goroutine may call it.
func (b *Breaker) Counts() (sections, failures int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != Closed || b.Err() != nil {
		return 0, 0
	}
	return b.seen.total()
}

// Inside returns the number of sections that are inside now; a section inside of another one of the same flow isn't counted.
// Any goroutine may call it.
func (b *Breaker) Inside() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.holders.Len()
}

// Queued is 0: nobody waits for a Breaker.
func (b *Breaker) Queued() int { return 0 }

// Enter implements [Guard]. It fails with [CircuitOpen] if the Breaker refuses the section; with the error of [Breaker.Err]
// if there is one; and with fault.InternalError for a ticket whose weight isn't 1, or that a throttle, token bucket or
// breaker holds, inside or in its queue. A re-entry isn't noticed.
func (b *Breaker) Enter(t *Ticket) (entered bool, err error) {
	if err := b.Err(); err != nil {
		return false, err
	}
	c := t.ticket()
	switch {
	case c.Timed():
		return false, errTwoWindows
	case c.Weight() != 1:
		return false, errNoWeights
	}
	if c.Again() {
		return true, nil
	}
	changed, err := b.admit(c)
	if changed {
		b.tellEntering(t)
	}
	return err == nil, err
}

// admit lets c in, or returns the error. It reports whether the state has changed.
func (b *Breaker) admit(c *guard.Ticket) (changed bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	era := b.era
	err = b.ask(c)
	return b.era != era, err
}

// tellEntering reports a change of state by Enter. If OnChange ends the goroutine, tellEntering takes t out again, because
// the section doesn't begin and Leave isn't called.
func (b *Breaker) tellEntering(t *Ticket) {
	told := false
	defer func() {
		if !told {
			b.leave(t, unknown)
		}
	}()
	b.tell(t, HalfOpen)
	told = true
}

func (b *Breaker) ask(c *guard.Ticket) error {
	if b.state == Open {
		if b.held {
			return b.refusal(0)
		}
		if left := b.left(host(c)); left > 0 {
			return b.refusal(left)
		}
		b.become(HalfOpen)
	}
	if b.state == HalfOpen {
		if b.probes+b.passed >= b.how.Load().Probes {
			return b.refusal(0)
		}
		b.probes++
	}
	c.Window = b.era
	b.holders.Push(c)
	return nil
}

func host(c *guard.Ticket) *tool.Host { return usercode.HostOf(c.Loop()) }

// pausing reports whether the Breaker is open and its pause isn't over, by the clock of host. A guard that embeds the Breaker has this
// method too, and may leave the Breaker nil.
func (b *Breaker) pausing(host *tool.Host) bool {
	if b.Err() != nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state == Open && (b.held || b.left(host) > 0)
}

// left returns how much of the pause of b, which is open, is left.
func (b *Breaker) left(host *tool.Host) time.Duration {
	return later(b.opened, b.how.Load().Pause) - b.clock.Now(host)
}

func (b *Breaker) become(s BreakerState) {
	b.changes.add(b.state, s)
	b.state = s
	b.era++
	b.probes, b.passed = 0, 0
	b.seen.reset()
}

// Learn is called before Leave with the outcome of the section, see [Guard].
func (b *Breaker) Learn(t *Ticket, o Outcome) {
	how := b.how.Load()
	slow := how.Slow > 0 && o.Took > how.Slow
	switch {
	case o.Cancelled:
		b.leave(t, unknown)
	case slow && (o.Err == nil || how.Ignore == nil):
		b.leave(t, failure)
	case o.Err == nil:
		b.succeed(t, o.Took)
	case o.Outer || how.Failure != nil || how.Ignore != nil:
		b.judge(t, o, slow)
	default:
		b.leave(t, failure)
	}
}

// exact reports whether the policy needs the whole time of each section.
func (b *Breaker) exact() bool {
	how := b.how.Load()
	return how == nil || how.Slow > 0 || how.Outer != nil
}

// succeed counts a success. The time of a section that ends in the turn in which it began isn't learned, because it says
// nothing about sections that wait.
func (b *Breaker) succeed(t *Ticket, took time.Duration) {
	if t.ticket().Lasted() {
		b.learn(t, took)
	}
	b.leave(t, success)
}

func (b *Breaker) learn(t *Ticket, took time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.holders.Has(t.ticket()) {
		b.usual.add(took)
	}
}

// judge asks the policy about an error or a limit around the section, and counts the verdict.
func (b *Breaker) judge(t *Ticket, o Outcome, slow bool) {
	how := b.how.Load()
	v := failure // also the verdict if a function panics
	defer func() { b.leave(t, v) }()
	host(t.ticket()).Call(func() {
		switch {
		case how.Ignore != nil && how.Ignore(o.Err):
			v = unknown
		case slow:
		case o.Outer && !b.blames(o.Took):
			v = unknown
		case how.Failure != nil && !how.Failure(o.Err):
			v = success
		}
	})
}

// blames reports whether a limit around the section, which has passed after took, is the fault of what the section has
// called.
func (b *Breaker) blames(took time.Duration) bool {
	if outer := b.how.Load().Outer; outer != nil {
		return outer(took)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.usual.exceeded(took)
}

type verdict uint8

const (
	unknown verdict = iota
	success
	failure
)

// leave lets t out, and counts v if t was let in since the last change of state.
func (b *Breaker) leave(t *Ticket, v verdict) {
	if to, changed := b.dismiss(t.ticket(), v); changed {
		b.tell(t, to)
	}
}

// dismiss does the work of leave, but reports nothing: it returns the state, and whether that has changed.
func (b *Breaker) dismiss(c *guard.Ticket, v verdict) (to BreakerState, changed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	era := b.era
	if b.holders.Remove(c) && c.Window == era {
		b.count(c, v)
	}
	return b.state, b.era != era
}

func (b *Breaker) count(c *guard.Ticket, v verdict) {
	switch {
	case b.state == HalfOpen:
		b.probe(c, v)
	case v == unknown:
	default: // closed: an open breaker lets no section in
		var now time.Duration
		if b.how.Load().Window > 0 {
			now = b.clock.Now(host(c))
		}
		b.seen.add(v == failure, now)
		if b.how.Load().trips(b.seen.total()) {
			b.open(c)
		}
	}
}

func (b *Breaker) probe(c *guard.Ticket, v verdict) {
	b.probes--
	switch v {
	case failure:
		b.open(c)
	case success:
		if b.passed++; b.passed >= b.how.Load().Probes {
			b.become(Closed)
		}
	case unknown: // another section may probe
	}
}

func (b *Breaker) open(c *guard.Ticket) {
	b.opened = b.clock.Now(host(c))
	b.become(Open)
}

// Leave implements [Guard]. It does nothing for a ticket that isn't inside.
func (b *Breaker) Leave(t *Ticket) {
	if t.ticket().Timed() { // Learn wasn't called
		b.leave(t, unknown)
	}
}

// Withdraw implements [Guard]. It does nothing: nobody waits for a Breaker.
func (b *Breaker) Withdraw(*Ticket) {}

// tell reports a change of state that t has caused. The lock isn't held.
func (b *Breaker) tell(t *Ticket, to BreakerState) {
	c := t.ticket()
	b.changes.tell(&b.mu, host(c))
	c.Report(b.String() + ": " + to.String())
}
