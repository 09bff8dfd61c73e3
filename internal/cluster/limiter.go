package cluster

import "github.com/futoin-go/asyncsteps/syncx"

// Limiter is a Throttle inside a Mutex (G4). The lock of the mutex is taken first.
type Limiter struct {
	mutex    *Mutex
	throttle *Throttle
}

// NewLimiter makes a Limiter of a Mutex and a Throttle that have no other use.
func NewLimiter(m *Mutex, h *Throttle) *Limiter {
	m.next = h.pass
	return &Limiter{m, h}
}

// Inside returns how many entries of this process haven't left yet.
func (l *Limiter) Inside() int { return l.throttle.Inside() }

// Queued returns how many flows of this process wait for a place or for the rate.
func (l *Limiter) Queued() int { return l.mutex.Queued() + l.throttle.Queued() }

// Enter implements [syncx.Guard].
func (l *Limiter) Enter(t *syncx.Ticket) (entered bool, err error) {
	if t.Reentry() {
		return l.throttle.Enter(t)
	}
	return l.mutex.Enter(t)
}

// Lease is called by the section when the ticket is inside. The Mutex keeps the lease and gives the fence.
func (l *Limiter) Lease(t *syncx.Ticket, lease syncx.Lease) (fence uint64) {
	return l.mutex.Lease(t, lease)
}

// Leave implements [syncx.Guard].
func (l *Limiter) Leave(t *syncx.Ticket) {
	l.throttle.Leave(t)
	l.mutex.Leave(t)
}

// Withdraw implements [syncx.Guard]. A ticket that waits for the rate has a place of the mutex, which is given back.
func (l *Limiter) Withdraw(t *syncx.Ticket) {
	l.mutex.Withdraw(t)
	l.throttle.Withdraw(t)
	l.mutex.Leave(t)
}
