package syncx

import (
	"errors"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// MaxWait returns g with a limit on the wait for it: a section of the returned Guard that has waited for d fails with
// [fault.DefenseRejected], as it does when the queue of g is full. How long it stays inside isn't limited. Without MaxWait a
// section waits for as long as it takes, and a flow.Timeout around it limits its work too.
//
//	var calls = syncx.NewMutex(10, 100)
//	var quote = syncx.Sync(syncx.MaxWait(50*time.Millisecond, calls), ask)
//
// The returned Guard and g are one guard: their sections share the places and the queue, and entering one of them inside of
// the other is a re-entry. So sections of one guard may wait for different times. A wait in several queues, such as those of
// a [Limiter], has one limit for all of them together. If a MaxWait is around another one, the shorter limit counts. Waits
// are measured on the loop of the run: in virtual time on a virtual loop. The returned Guard is as safe for concurrent use as
// g.
//
// A guard of your own that hands tickets on to the returned Guard has to keep g too, because only g has the methods Learn and
// Weigh. A guard that several processes share may count an entry that comes after the limit.
//
// If d isn't positive, or g is nil or not well formed, plans that use the returned Guard can't be run, and flow.Plan.Err
// reports why. To let nobody wait at all, make the guard with a queue of 0.
//
//spec:ftn12 §1.11.3, §1.11.6; rule G14
func MaxWait(d time.Duration, g Guard) Guard {
	if inner, ok := g.(*limitedWait); ok {
		d, g = min(d, inner.limit), inner.guard
	}
	passed := fault.Wrap(fault.DefenseRejected, "wait limit", errors.New("not let in within "+d.String()))
	return &limitedWait{guard: g, limit: d, passed: passed}
}

type limitedWait struct {
	guard  Guard // never a *limitedWait: MaxWait merges nested ones
	limit  time.Duration
	passed error
}

// Err returns nil if the Guard is well formed, otherwise what is wrong.
func (w *limitedWait) Err() error {
	switch {
	case w.limit <= 0:
		return invalid("MaxWait: the limit must be positive, got " + w.limit.String())
	case w.guard == nil:
		return invalid("MaxWait: the guard is nil")
	}
	if own, ok := w.guard.(interface{ Err() error }); ok {
		return own.Err()
	}
	return nil
}

// Unwrap is for guard.Unwrap.
func (w *limitedWait) Unwrap(guard.Wrapped) Guard { return w.guard }

// Enter implements [Guard].
func (w *limitedWait) Enter(t *Ticket) (entered bool, err error) {
	if err := w.Err(); err != nil {
		return false, err
	}
	w.limitWait(t.ticket())
	return w.guard.Enter(t)
}

// Leave implements [Guard].
func (w *limitedWait) Leave(t *Ticket) { w.guard.Leave(t) }

// Withdraw implements [Guard].
func (w *limitedWait) Withdraw(t *Ticket) { w.guard.Withdraw(t) }

func (w *limitedWait) limitWait(c *guard.Ticket) { c.LimitWait(w.limit, w.passed) }

func (w *limitedWait) parameters() []plan.Parameter {
	return append(parameters(w.guard), plan.Set("wait at most", w.limit))
}

// asked returns the functions of the guard inside, see the function asked, with an Enter that also sets the limit.
func (w *limitedWait) asked() (own guard.Guard, bad string) {
	own, bad = asked(w.guard)
	if enter := own.Enter; bad == "" {
		own.Enter = func(c *guard.Ticket) (bool, error) {
			w.limitWait(c)
			return enter(c)
		}
	}
	return own, bad
}
