package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// Mutex is a [syncx.Guard] that takes places of a server. It has the method Lease, so its sections can be evicted.
type Mutex struct {
	kind     string
	places   Places
	clock    Clock
	lease    time.Duration
	maxQueue int
	next     func(*syncx.Ticket) bool // lets in a ticket that has got a place, or passes it to a Limiter's throttle; called while mu is held

	mu     sync.Mutex
	queue  queue
	inside map[*syncx.Ticket]*holding
	taken  bool               // the last answer was that no place is free; false again when a request ends while no flow waits
	asking bool               // a call of Acquire is under way
	stop   context.CancelFunc // cancels that call
}

// NewMutex makes a Mutex. While the last answer of the server is that no place is free, at most maxQueue flows of this process
// wait; a negative maxQueue is no limit. lease is the length of the server's leases.
func NewMutex(kind string, places Places, clock Clock, lease time.Duration, maxQueue int) *Mutex {
	return &Mutex{
		kind: kind, places: places, clock: clock, lease: lease, maxQueue: maxQueue,
		next: (*syncx.Ticket).Grant, inside: map[*syncx.Ticket]*holding{},
	}
}

// Inside returns how many flows of this process are inside.
func (m *Mutex) Inside() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.inside)
}

// Queued returns how many flows of this process wait.
func (m *Mutex) Queued() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.queue.len()
}

// Enter implements [syncx.Guard].
func (m *Mutex) Enter(t *syncx.Ticket) (entered bool, err error) {
	if t.Reentry() {
		return true, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.taken && m.maxQueue >= 0 && m.queue.len() >= m.maxQueue {
		return false, rejected(m.kind)
	}
	m.queue.push(t)
	m.ask()
	return false, nil
}

// ask asks the server for a place if a flow waits, unless a request is under way.
func (m *Mutex) ask() {
	if m.asking || m.queue.len() == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.asking, m.stop = true, cancel
	m.places.Acquire(ctx, m.taken, func(p Place, err error) {
		cancel()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.asking = false
		m.answered(p, err)
		if m.queue.len() == 0 {
			m.taken = false // the next flow asks the server again
		}
		m.ask()
	})
}

func (m *Mutex) answered(p Place, err error) {
	switch {
	case err == nil:
		m.taken = false
		m.admit(p)
	case errors.Is(err, ErrTaken):
		m.taken = true
		for m.maxQueue >= 0 && m.queue.len() > m.maxQueue {
			m.queue.takeLast().Refuse(rejected(m.kind))
		}
	case errors.Is(err, context.Canceled): // by Withdraw, which had emptied the queue
	default:
		for t := m.queue.takeFirst(); t != nil; t = m.queue.takeFirst() {
			t.Refuse(failed(m.kind, err))
		}
	}
}

// admit gives p to the first flow in the queue that still waits. If there is none, it releases p.
func (m *Mutex) admit(p Place) {
	for t := m.queue.takeFirst(); t != nil; t = m.queue.takeFirst() {
		h := &holding{mutex: m, place: p, ticket: t}
		m.inside[t] = h
		if m.next(t) {
			h.begin(p.Since())
			return
		}
		delete(m.inside, t)
	}
	p.Release()
}

// Lease is called by the section when the ticket is inside. It keeps l for an eviction and returns the fence.
func (m *Mutex) Lease(t *syncx.Ticket, l syncx.Lease) (fence uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.inside[t]
	if h == nil {
		return 0
	}
	h.lease = l
	if h.lost != nil {
		l.Lose(h.lost)
	}
	return h.place.Fence()
}

// Leave implements [syncx.Guard].
func (m *Mutex) Leave(t *syncx.Ticket) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leave(t)
}

func (m *Mutex) leave(t *syncx.Ticket) {
	if h := m.inside[t]; h != nil {
		delete(m.inside, t)
		h.end()
	}
}

// Withdraw implements [syncx.Guard].
func (m *Mutex) Withdraw(t *syncx.Ticket) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.queue.remove(t) && m.queue.len() == 0 && m.asking {
		m.stop()
	}
}
