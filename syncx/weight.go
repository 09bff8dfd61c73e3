package syncx

import (
	"fmt"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// SyncWeighted is [Sync] for a section that takes as many places of g as weight returns for its input: places inside of a
// [Mutex], entries in a period of a [Throttle], tokens of a [TokenBucket], and of a [Limiter] both places and entries.
//
//	var memory = syncx.NewMutex(1<<20, -1) // KiB
//	var resize = syncx.SyncWeighted(memory, func(p Picture) int { return p.Size>>10 + 1 }, load)
//
// The order is that of [Sync]: a section that waits for many places isn't overtaken because a later one needs fewer. A flow
// that is inside of a Mutex or Limiter already needs no further places there, but a weight that the guard never lets in is
// still an error.
//
// The weight function is called on the loop of the run, once for each entry, and must not block.
//
// Errors: a weight below 1, and one that a guard of this package never lets in, fail the step with fault.InvalidRequest,
// which wraps a [*WeightError]. A panic and runtime.Goexit in weight fail the step with fault.InternalError. If weight is
// nil, or g doesn't know weights, the plan can't be run, and flow.Plan.Err reports why. Guards that know weights have a
// method Weigh, see [Guard].
//
//spec:ftn12 §1.11.3; rule G11
func SyncWeighted[In, Out any](g Guard, weight func(In) int, s step.Step[In, Out]) flow.Plan[In, Out] {
	own, bad := asked(g)
	switch {
	case bad != "":
	case weight == nil:
		bad = "SyncWeighted: the weight function is nil"
	default:
		bad = weigh(&own, g)
	}
	section := op.SyncBy(own, nil, weight, bad, op.Given(s, "SyncWeighted: the stage is nil"))
	section.Node().Tell(func() []plan.Parameter { return parameters(g) })
	return flow.Of(section)
}

// WeightError is the error for a section whose weight is below 1 or larger than its guard lets in.
type WeightError struct {
	Weight   int
	Capacity int // the largest weight that the guard lets in; 0 if Weight is below 1
}

// Error implements error.
func (e *WeightError) Error() string {
	if e.Weight < 1 {
		return fmt.Sprintf("a section must weigh at least 1, not %d", e.Weight)
	}
	return fmt.Sprintf("a section weighs %d, and the guard lets in %d at most", e.Weight, e.Capacity)
}

type weigher interface{ Weigh(weight int) error }

// weigh makes to.Enter ask g about the weight of a ticket first. It returns why g can't be asked, or "".
func weigh(to *guard.Guard, g Guard) (bad string) {
	g = guard.Unwrap(g)
	w, ok := g.(weigher)
	if !ok {
		return fmt.Sprintf("the guard, a %T, doesn't know weights: it has no method Weigh(int) error", g)
	}
	enter := to.Enter
	to.Enter = func(c *guard.Ticket) (bool, error) {
		if c.Weight() < 1 {
			return false, overweight(c.Weight(), 0)
		}
		if err := w.Weigh(c.Weight()); err != nil {
			return false, err
		}
		return enter(c)
	}
	return ""
}

func within(capacity, weight int) error {
	if weight > capacity {
		return overweight(weight, capacity)
	}
	return nil
}

// admissible returns an error if g never lets in a ticket of the weight of c. Guards call it in Enter, because a guard of the
// user may hand a ticket on without calling Weigh.
func admissible(g weigher, c *guard.Ticket) error {
	if c.Weight() == 1 {
		return nil
	}
	return g.Weigh(c.Weight())
}

func overweight(weight, capacity int) error {
	e := &WeightError{weight, capacity}
	return fault.Wrap(fault.InvalidRequest, e.Error(), e)
}

var errNoWeights = fault.New(fault.InternalError, "a guard that doesn't know weights was handed a ticket of another weight than 1")

// Weight returns how many places of the guard the ticket asks for: 1 unless its section is one of [SyncWeighted], or of a
// Keyed that has a weight by [Keyed.Weigh]. Call it only in Enter, Learn, Leave and Withdraw.
func (t *Ticket) Weight() int { return t.ticket().Weight() }

// Weigh returns fault.InvalidRequest around a [*WeightError] if weight is above the capacity; see [Guard]. Any goroutine may
// call it.
func (m *Mutex) Weigh(weight int) error { return within(m.Capacity(), weight) }

// Weigh returns fault.InvalidRequest around a [*WeightError] if weight is above the capacity; see [Guard]. Any goroutine may
// call it.
func (throttle *Throttle) Weigh(weight int) error { return within(throttle.Capacity(), weight) }

// Weigh returns fault.InvalidRequest around a [*WeightError] if weight is above the smaller one of Concurrent and Rate; see
// [Guard]. Any goroutine may call it.
func (l *Limiter) Weigh(weight int) error {
	return within(min(l.mutex.Capacity(), l.throttle.Capacity()), weight)
}

// Weigh returns fault.InvalidRequest around a [*WeightError] if weight is above the capacity; see [Guard]. Any goroutine may
// call it.
func (b *TokenBucket) Weigh(weight int) error { return within(b.Capacity(), weight) }

// Weigh makes the sections of k take as many places of their guard as weight returns for their input, as [SyncWeighted]
// does. A section whose guard doesn't know weights fails with fault.InvalidRequest. If weight is nil, plans that use k can't
// be run. Weigh returns k. Call it before k is used.
func (k *Keyed[In, K]) Weigh(weight func(In) int) *Keyed[In, K] {
	if weight == nil {
		k.bad = "Keyed.Weigh: the weight function is nil"
	}
	k.weight = weight
	return k
}
