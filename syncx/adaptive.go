package syncx

import (
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/internal/clock"
	"github.com/futoin-go/asyncsteps/internal/guard"
)

// Adaptive bounds how many flows are inside a section at once, as a [Mutex] does, by a limit that it learns from how its
// sections end. Roughly, the limit rises while they take as long as they usually do, and falls when they take much longer or
// when what they call is overloaded. In this way it finds out how many calls at once a server can serve.
//
// At the end of a window of time the limit changes by the outcomes of that window. It stays between Min and Max:
//
//	a section was overloaded                   limit × 0.9
//	less than half of the limit was in use     limit
//	otherwise                                  limit × 0.8 + (limit × gradient + 4) × 0.2
//
// The gradient is Tolerance × usual time / time in the window, from 0.5 to 1. The usual time is a moving average over about
// 600 windows. After the first ten, windows beyond the Tolerance are left out of it: an incident doesn't become usual,
// however long it lasts. When sections take longer for good, call [Adaptive.Relearn]. The time in the window is the mean of
// its sections. Apart from what is left out of the average, the formulas are those of Gradient2Limit and AIMDLimit in
// Netflix's concurrency-limits.
//
// The mean is that of the sections that end without an error. One that ends with an error was overloaded if
// [AdaptivePolicy].Overload reports true for the error, and doesn't count otherwise. A limit around the section, or the
// deadline of the run's context, doesn't count if the section has run no longer than the Tolerance allows, and neither does
// a section that is cut off.
//
// Flows that have to wait are let in first come, first served, unless [Adaptive.ByPriority] sets another order; a flow that
// is inside already enters again without a place and without being counted.
//
// An Adaptive is safe for concurrent use, by runs on any loops. Its time is that of the
// loops that use it: virtual on a virtual loop. It must not be copied. The zero Adaptive
// isn't well formed: use [NewAdaptive].
//
//spec:ftn12 §1.11.3; rules G6, G10
type Adaptive struct {
	how   AdaptivePolicy
	name  func() string
	mutex Mutex // its max is the limit, rounded down; its lock guards how and the fields below

	limit  float64
	usual  average
	clock  clock.Shared
	opened bool          // there is a window
	began  time.Duration // when the window began
	window sample

	changes changes[int]
}

type sample struct {
	sections   int           // number of outcomes that count
	values     int           // how many of the sections ended without an error
	took       time.Duration // the sum of their times
	inside     int           // the greatest number of flows that were inside when an outcome was counted
	overloaded bool
}

// NewAdaptive makes an Adaptive, whose first limit is p.Start. If p isn't well formed, neither is the Adaptive: plans that
// use it can't be run, see [Adaptive.Err].
//
//spec:ftn12 §1.11.3
func NewAdaptive(p AdaptivePolicy) *Adaptive {
	a := &Adaptive{name: naming("adaptive limit", p.Name)}
	bad := p.complete()
	a.how = p
	a.changes.told = p.OnChange
	a.limit = float64(p.Start)
	a.mutex.lock.Init("adaptive limit")
	a.mutex.init("adaptive limit", max(p.Start, 1), p.MaxQueue)
	a.mutex.lock.Places = 0 // unused, because each ticket weighs 1
	a.mutex.bad = bad
	return a
}

var errNoAdaptive = invalid("adaptive limit: not made by NewAdaptive")

// Err returns nil if the Adaptive is well formed, otherwise a fault.InvalidRequest.
func (a *Adaptive) Err() error {
	if a == nil || a.name == nil {
		return errNoAdaptive
	}
	return a.mutex.bad
}

// String names the Adaptive for people: "adaptive limit payments", or where it was made: "adaptive limit
// (pay.go:12)". Any goroutine may call it.
func (a *Adaptive) String() string {
	if a == nil || a.name == nil {
		return "adaptive limit"
	}
	return a.name()
}

// Capacity returns the limit: how many flows may be inside at once now. Any goroutine may
// call it.
func (a *Adaptive) Capacity() int {
	a.mutex.lock.Lock()
	defer a.mutex.lock.Unlock()
	return a.mutex.max
}

// Inside returns the number of flows that are inside now. It may be above the limit after the limit has fallen. Any
// goroutine may call it.
func (a *Adaptive) Inside() int { return a.mutex.Inside() }

// Queued returns the number of flows that wait now. Any goroutine may call it.
func (a *Adaptive) Queued() int { return a.mutex.Queued() }

// Enter implements [Guard]. It fails with [fault.DefenseRejected] if the flow would have to wait and the queue is full,
// unless the flow takes the place of another one, see [Adaptive.ByPriority]; with [Deadlock] if flows would wait for each
// other; with the error of [Adaptive.Err] if there is one; and with [fault.InternalError] for a ticket whose weight isn't
// 1, or that a mutex has let in or queued already.
func (a *Adaptive) Enter(t *Ticket) (entered bool, err error) {
	if err := a.Err(); err != nil {
		return false, err
	}
	if t.Weight() != 1 {
		return false, errNoWeights
	}
	return a.mutex.Enter(t)
}

// Leave implements [Guard]. It does nothing for a ticket that isn't inside.
func (a *Adaptive) Leave(t *Ticket) { a.mutex.Leave(t) }

// Withdraw implements [Guard]. For a ticket that isn't queued it does nothing.
func (a *Adaptive) Withdraw(t *Ticket) { a.mutex.Withdraw(t) }

// Learn is called before Leave with the outcome of the section, see [Guard].
func (a *Adaptive) Learn(t *Ticket, o Outcome) {
	c := t.ticket()
	if o.Outer && a.impatient(o.Took) {
		return
	}
	overloaded := !o.Cancelled && o.Err != nil && a.overload(c, o.Err)
	if o.Cancelled || o.Err != nil && !overloaded {
		return
	}
	if to, changed := a.learn(c, overloaded, o.Took); changed {
		a.changes.tell(&a.mutex.lock, host(c))
		c.Report(a.String() + ": " + strconv.Itoa(to))
	}
}

// impatient reports whether took, the time until a limit around the section passed, is known to be within the Tolerance.
func (a *Adaptive) impatient(took time.Duration) bool {
	a.mutex.lock.Lock()
	defer a.mutex.lock.Unlock()
	return a.usual.n > 0 && float64(took) <= a.how.Tolerance*a.usual.value
}

// Relearn forgets how long sections usually take. Call it after a change that lasts, such as a move to another server: the
// next windows tell what is usual. The limit stays. Any goroutine may call it.
//
//spec:ftn12 §1.11.3; rule G10
func (a *Adaptive) Relearn() {
	if a.Err() != nil {
		return
	}
	a.mutex.lock.Lock()
	defer a.mutex.lock.Unlock()
	a.usual = average{}
}

// learn counts an outcome. It returns the limit, and whether the outcome has changed it.
func (a *Adaptive) learn(c *guard.Ticket, overloaded bool, took time.Duration) (to int, changed bool) {
	a.mutex.lock.Lock()
	defer a.mutex.lock.Unlock()
	if !a.mutex.lock.Holders.Has(c) {
		return 0, false // a re-entry
	}
	from := a.mutex.max
	now := a.clock.Now(host(c))
	if !a.opened {
		a.opened, a.began = true, now
	}
	a.window.add(overloaded, took, a.mutex.lock.Holders.Len())
	if now >= later(a.began, a.how.Window) && a.window.sections >= a.how.MinSections {
		a.adapt()
		a.window, a.began = sample{}, now
	}
	if to = a.mutex.max; to != from {
		a.changes.add(from, to)
	}
	return to, to != from
}

func (a *Adaptive) overload(c *guard.Ticket, err error) (yes bool) {
	asked := a.Policy().Overload
	host(c).Call(func() { yes = asked(err) })
	return yes
}

func (s *sample) add(overloaded bool, took time.Duration, inside int) {
	s.sections++
	s.inside = max(s.inside, inside)
	if overloaded {
		s.overloaded = true
		return
	}
	s.values++
	s.took = later(s.took, took)
}

// Constants of the formula in the comment of Adaptive.
const (
	backoff   = 0.9 // the limit is multiplied by this after an overload
	headroom  = 4.  // added to the limit, to try whether more can be inside
	smoothing = 0.2 // the weight of the last window
)

func (a *Adaptive) adapt() {
	w := &a.window
	ratio := 1.
	if w.values > 0 {
		ratio = a.usual.ratio(float64(w.took)/float64(w.values), a.how.Tolerance)
	}
	switch {
	case w.overloaded:
		a.limit *= backoff
	case float64(w.inside) < a.limit/2:
		return
	default:
		gradient := min(max(a.how.Tolerance*ratio, 0.5), 1)
		a.limit += (a.limit*gradient + headroom - a.limit) * smoothing
	}
	a.limit = min(max(a.limit, float64(a.how.Min)), float64(a.how.Max))
	a.mutex.max = a.places() // Leave, which is called next, lets flows in
}

// places returns the limit, rounded down, and within the bounds also if a float can't hold these exactly.
func (a *Adaptive) places() int {
	if a.limit < float64(a.how.Max) {
		return max(int(a.limit), a.how.Min)
	}
	return a.how.Max
}

// average is an exponential moving average, and a mean while it has few values.
type average struct {
	n     int
	value float64
}

const (
	warmup = 10
	memory = 600
)

// ratio adds v to the average, unless v is beyond the tolerance after the warm-up. It returns the average divided by v, or 1
// if v isn't positive.
func (m *average) ratio(v, tolerance float64) float64 {
	switch {
	case m.n < warmup:
		m.n++
		m.value += (v - m.value) / float64(m.n)
	case v <= m.value*tolerance:
		m.value += (v - m.value) * 2 / (memory + 1)
	}
	if v <= 0 {
		return 1
	}
	r := m.value / v
	if r > 2 { // the average is of a slow time that is over: lower it faster than one new value would
		m.value *= 0.95
	}
	return r
}
