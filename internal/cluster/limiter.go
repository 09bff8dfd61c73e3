package cluster

import "github.com/futoin-go/asyncsteps/syncx"

// Limiter is a Throttle inside of a Mutex (G4). The mutex's lock comes first.
type Limiter struct {
	mutex    *Mutex
	throttle *Throttle
}

// NewLimiter makes a Limiter of two guards that nobody else uses.
func NewLimiter(m *Mutex, h *Throttle) *Limiter {
	m.next = h.pass
	return &Limiter{m, h}
}

// Inside is how many flows of this process are inside.
func (l *Limiter) Inside() int { return l.throttle.Inside() }

// Queued is how many flows of this process wait, for either reason.
func (l *Limiter) Queued() int { return l.mutex.Queued() + l.throttle.Queued() }

// Enter implements [syncx.Guard].
func (l *Limiter) Enter(t *syncx.Ticket) (entered bool, err error) {
	if t.Reentry() {
		return l.throttle.Enter(t)
	}
	return l.mutex.Enter(t)
}

// Lease is called by the section when the ticket is inside.
func (l *Limiter) Lease(t *syncx.Ticket, lease syncx.Lease) (fence uint64) {
	return l.mutex.Lease(t, lease)
}

// Leave implements [syncx.Guard].
func (l *Limiter) Leave(t *syncx.Ticket) {
	l.throttle.Leave(t)
	l.mutex.Leave(t)
}

// Withdraw implements [syncx.Guard]. A ticket that waits for the rate has a place.
func (l *Limiter) Withdraw(t *syncx.Ticket) {
	l.mutex.Withdraw(t)
	l.throttle.Withdraw(t)
	l.mutex.Leave(t)
}
