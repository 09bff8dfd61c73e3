// Package tooltest is an event loop for tests: single-stepped, in virtual time, without a goroutine of its own. The
// test decides when a callback runs, and may draw which of the ready ones goes next.
//
// Without a chooser the order is that of a [tool.Loop] with a very large Burst: immediates first in first out,
// timers by deadline and then by arrival, neither starving the other. [WithChooser] and [WithSeed] give up that
// order on purpose. An immediate may overtake others, as if goroutines had queued them in another order. A
// due timer may run before or after the immediates that are ready with it. Among timers only those with the same
// deadline change places. The runs on the loop then proceed in single steps ([tool.TurnLimits].Steps is 1) and
// their fibers are drawn too. A chooser that always answers 0 takes the oldest immediate, a timer only if no
// immediate is ready, and of the fibers of a run the one that has been ready for longest. That is not the order of
// a tool.Loop either: there timers don't wait for ever, and runs take many steps in a turn.
//
// The loop doesn't wait for goroutines. While a goroutine executes the body of a step.Await, for example, Run and
// Advance move on to the next timer, so a limit of an hour may pass before the body returns. If there is no timer
// they return, and the run hasn't ended. For plans with such steps use the loop in a bubble of
// testing/synctest, and call synctest.Wait before you move its time; or use a loop of tool.Start in the bubble.
package tooltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/internal/queue"
	"github.com/futoin-go/asyncsteps/tool"
)

// Error is the type of this package's predeclared errors.
type Error string

// Error returns the message.
func (e Error) Error() string { return string(e) }

const (
	// ErrLimit is reported when a call of Run, RunUntil or Advance has run as many callbacks as [WithLimit] allows
	// and would run more.
	ErrLimit Error = "tooltest: too many callbacks, the loop may never become idle"

	// ErrChoice is reported when a chooser answered out of range; the first choice is taken instead.
	ErrChoice Error = "tooltest: chooser answered out of range"
)

const defaultLimit = 10_000_000

// Loop is an event loop in virtual time; it implements [tool.Tool], whose methods any goroutine may call. Step, Run,
// RunUntil and Advance are for one goroutine at a time; a callback must not call them.
type Loop struct {
	host   *tool.Host
	choose func(n int) int // nil: the plain order
	limit  int
	seat   goid.Seat

	mu      sync.Mutex
	queue   *queue.Queue
	now     time.Duration
	mark    uint64 // arrivals up to here belong to the current turn
	choices []queue.Key
	asking  bool       // the chooser is being asked about choices
	rand    *rand.Rand // the source of the host's random numbers
	options []tool.HostOption
	errs    []error
	parts   partition
}

var _ tool.Tool = (*Loop)(nil)

var _ = drive.Provide(func(t any) (drive.Loop, *goid.Seat, bool) {
	l, ok := t.(*Loop)
	if !ok {
		return nil, nil, false
	}
	return nil, &l.seat, true
})

// Option sets one thing of a new [Loop]. A nil one sets nothing.
type Option func(*Loop)

// WithChooser asks choose which of n ready callbacks, or fibers of a run, goes next: n is at least 2, the
// answer in [0, n). It is called on the goroutine that steps, with no lock held.
func WithChooser(choose func(n int) int) Option { return func(l *Loop) { l.choose = choose } }

// WithSeed draws the order from seed, and the numbers of [tool.Host.Rand] too: the same seed gives the same
// order and the same numbers. Without it the numbers are those of the seed 0.
func WithSeed(seed uint64) Option {
	return func(l *Loop) {
		l.choose = rand.New(rand.NewPCG(seed, seed)).IntN
		l.rand = numbers(seed)
	}
}

// numbers returns the source of Host.Rand. The order is drawn from another source, so calls of Host.Rand don't
// change it.
func numbers(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, ^seed)) }

// WithLimit bounds how many callbacks one call of Run, RunUntil or Advance may run; the default is ten
// million. It ignores an n below 1.
func WithLimit(n int) Option {
	return func(l *Loop) {
		if n > 0 {
			l.limit = n
		}
	}
}

// WithHost adds settings to those of the loop's host, such as [tool.WithWork]. The
// clock remains the loop's own.
func WithHost(with ...tool.HostOption) Option {
	return func(l *Loop) { l.options = append(l.options, with...) }
}

// New returns an empty loop at time zero.
func New(with ...Option) *Loop {
	l := &Loop{queue: queue.New(), limit: defaultLimit, rand: numbers(0)}
	for _, set := range with {
		if set != nil {
			set(l)
		}
	}
	var turn tool.TurnLimits
	if l.choose != nil {
		turn.Steps, turn.Pick = 1, l.pick
	}
	l.host = l.newHost(turn)
	return l
}

func (l *Loop) newHost(turn tool.TurnLimits) *tool.Host {
	return tool.NewHost(turn, slices.Concat([]tool.HostOption{tool.WithRand(l.draw), tool.WithOnError(l.note)},
		l.options, []tool.HostOption{tool.WithClock(l.Now)})...)
}

// Immediate implements [tool.Tool]. It never fails with ErrShutdown.
func (l *Loop) Immediate(fn func()) (tool.Handle, error) {
	if fn == nil {
		return 0, tool.ErrNilFunc
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parts.queued(tool.Handle(l.queue.Push(fn))), nil
}

// Deferred implements [tool.Tool], in virtual time. It never fails with ErrShutdown.
func (l *Loop) Deferred(d time.Duration, fn func()) (tool.Handle, error) {
	if fn == nil {
		return 0, tool.ErrNilFunc
	}
	if d < 0 {
		return 0, tool.ErrNegativeDelay
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parts.queued(tool.Handle(l.queue.Arm(later(l.now, d), fn))), nil
}

// Cancel implements [tool.Tool].
func (l *Loop) Cancel(h tool.Handle) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queue.Take(queue.Key(h)) == nil {
		return false
	}
	if l.parts.taken(h) != l.parts.now {
		l.parts.shared++
	}
	return true
}

// Valid implements [tool.Tool].
func (l *Loop) Valid(h tool.Handle) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue.Valid(queue.Key(h))
}

// InLoop implements [tool.Tool]: it is true on the goroutine that is inside Step.
func (l *Loop) InLoop() bool { return l.seat.Mine() }

// Host implements [tool.Tool]. It returns nil for the zero Loop and for a nil one.
func (l *Loop) Host() *tool.Host {
	if l == nil {
		return nil
	}
	return l.host
}

// Now returns the virtual time.
func (l *Loop) Now() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// Pending returns the number of callbacks that wait, timers included.
func (l *Loop) Pending() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue.Ready() + l.queue.Armed()
}

// Errors returns what was reported so far, oldest first: ErrLimit, ErrChoice and, unless WithHost has set
// another error handler, the errors given to [tool.Host.Report], among them panics of callbacks
// ([*tool.PanicError]).
func (l *Loop) Errors() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]error(nil), l.errs...)
}

func (l *Loop) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs = append(l.errs, err)
	l.parts.shared++
}

func (l *Loop) draw() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parts.shared++
	return l.rand.Uint64()
}

// pick asks the chooser, and returns 0 if the answer is out of range.
func (l *Loop) pick(n int) int {
	i := l.choose(n)
	if i < 0 || i >= n {
		l.note(fmt.Errorf("%w: %d of %d", ErrChoice, i, n))
		return 0
	}
	return i
}
