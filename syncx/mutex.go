package syncx

import (
	"errors"
	"strconv"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/guard"
)

// Mutex bounds how many flows are inside a section at once. Those that have to wait are let in first come, first served,
// unless [Mutex.ByPriority] sets another order.
//
// A flow that enters again a Mutex it is inside of doesn't wait and takes no further place. A branch of a parallel step is
// another flow.
//
// A Mutex is safe for concurrent use, by runs on any loops. It must not be
// copied. The zero Mutex isn't well formed: use [NewMutex].
//
//spec:ftn12 §1.11.1, §2.3
type Mutex struct {
	lock     guard.Lock
	kind     string // as given to init
	max      int    // lock guards max and maxQueue, which may change
	maxQueue int
	trusting bool // set by AllowCycles: the mutex doesn't look for deadlocks
	bad      error
	full     atomic.Pointer[error] // the error of a flow for which the queue has no room
	by       *priorities           // nil: first come, first served

	// next is called, under the lock, for a ticket of the queue that has got a place: it lets the
	// ticket in, or, in a Limiter, hands it to the throttle. If it returns false, the next ticket gets the place.
	next func(*guard.Ticket) bool
}

// NewMutex makes a Mutex that lets at most maximum flows in. Of those that have
// to wait it queues at most maxQueue: more are rejected at once, with
// [fault.DefenseRejected]. A maxQueue of 0 rejects every flow that can't enter
// at once, one below zero doesn't limit the queue.
//
// With a maximum below 1 the Mutex isn't well formed: plans that use it can't be
// run, see [Mutex.Err].
//
//spec:ftn12 §1.11.6, §2.3
func NewMutex(maximum, maxQueue int) *Mutex {
	m := new(Mutex)
	m.lock.Init("mutex")
	m.init("mutex", maximum, maxQueue)
	return m
}

func (m *Mutex) init(kind string, maximum, maxQueue int) {
	m.kind, m.max = kind, maximum
	m.lock.Places, m.lock.Never = maximum, deadlock
	m.next = (*guard.Ticket).Grant
	m.setQueue(maxQueue)
	m.bad = badMaximum(kind, maximum)
}

func badMaximum(kind string, maximum int) error {
	if maximum < 1 {
		return invalid(kind + ": the maximum must be at least 1, got " + strconv.Itoa(maximum))
	}
	return nil
}

func (m *Mutex) setQueue(maxQueue int) {
	m.maxQueue = maxQueue
	full := rejected("Mutex queue limit", m.kind, maxQueue)
	m.full.Store(&full)
}

// rejected returns the error of a guard whose queue is full. The cause names the kind of the guard, and how many may wait.
func rejected(info, kind string, maxQueue int) error {
	return fault.Wrap(fault.DefenseRejected, info, errors.New(kind+": "+strconv.Itoa(max(maxQueue, 0))+" may wait"))
}

var errNoMutex = invalid("mutex: not made by NewMutex")

// Err returns nil if the Mutex is well formed, otherwise a fault.InvalidRequest.
func (m *Mutex) Err() error {
	if m == nil || m.next == nil {
		return errNoMutex
	}
	return m.bad
}

// Inside returns the number of flows that are inside now. Any goroutine may call it.
func (m *Mutex) Inside() int {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.lock.Holders.Len()
}

// Queued returns the number of flows that wait now. Any goroutine may call it.
func (m *Mutex) Queued() int {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.lock.Queue.Len()
}

var errTwoLocks = fault.New(fault.InternalError, "a ticket was handed to two mutexes: use a Sync for each")

// Enter implements [Guard]. It fails with [fault.DefenseRejected] if the flow would have to wait and the queue is full,
// unless the flow takes the place of another one, see [Mutex.ByPriority]; with [Deadlock] if flows would wait for each other,
// unless the Mutex has [Mutex.AllowCycles]; with fault.InvalidRequest if the section weighs more than the capacity, or the
// Mutex isn't well formed; and with fault.InternalError if a mutex has let t in or queued it already.
func (m *Mutex) Enter(t *Ticket) (entered bool, err error) {
	c := t.ticket()
	if err := m.Err(); err != nil {
		return false, err
	}
	switch {
	case c.Bound() != nil:
		return false, errTwoLocks
	case c.Holds(&m.lock):
		c.Bind(&m.lock)
		return true, nil
	}
	if err := admissible(m, c); err != nil {
		return false, err
	}
	c.Bind(&m.lock)
	if m.lock.EnterAlone(c) {
		return true, nil
	}
	rank(m.by, c)
	answer := m.ask(c)
	if answer == inside {
		return true, nil
	}
	if entered, err = m.request(c, answer); err != nil {
		c.Bind(nil)
	}
	return entered, err
}

func (m *Mutex) request(c *guard.Ticket, a answer) (entered bool, err error) {
	switch a {
	case full:
		return false, *m.full.Load()
	case mustWait:
		return m.wait(c)
	default:
		return false, nil
	}
}

type answer uint8

const (
	inside answer = iota
	queued
	full
	mustWait // not queued yet
)

// ask lets c in, or queues c if m doesn't look for deadlocks. Otherwise it returns full or mustWait.
func (m *Mutex) ask(c *guard.Ticket) answer {
	m.lock.Lock()
	defer m.lock.Unlock()
	a := m.look(c)
	if a == mustWait && m.trusting {
		if out := m.push(c); out != nil {
			out.Refuse(*m.full.Load()) // before m is unlocked: after that, the memory of out may be used for another entry
		}
		a = queued
	}
	return a
}

// look lets c in, or returns full or mustWait. m is locked.
func (m *Mutex) look(c *guard.Ticket) answer {
	switch {
	case m.fits(c) && first(m.by, &m.lock.Queue, c):
		m.lock.Holders.Push(c)
		return inside
	case m.maxQueue >= 0 && m.lock.Queue.Len() >= m.maxQueue && !displaces(m.by, &m.lock.Queue, c):
		return full
	default:
		return mustWait
	}
}

// push queues c. It returns the ticket that it has taken out of a full queue to make room, if any. m is locked.
func (m *Mutex) push(c *guard.Ticket) (out *guard.Ticket) {
	if m.maxQueue >= 0 && m.lock.Queue.Len() >= m.maxQueue {
		out = m.lock.Queue.Tail()
		m.lock.Queue.Remove(out)
	}
	push(m.by, &m.lock.Queue, c)
	return out
}

// wait queues c unless that would be a deadlock. The detector has to be locked before m, and ask has unlocked m, so wait
// looks again.
//
// A ticket that c displaces is out of the queue during the search, because c doesn't depend on it. After the search the
// ticket is refused or put back. The detector watches the ticket, so the run of the ticket can't go on before the detector is
// unlocked.
func (m *Mutex) wait(c *guard.Ticket) (entered bool, err error) {
	guard.Deadlocks.Lock()
	defer guard.Deadlocks.Unlock()
	m.lock.Lock()
	a := m.look(c)
	var out *guard.Ticket
	if a == mustWait {
		out = m.push(c)
	}
	m.lock.Unlock()
	switch a {
	case inside:
		return true, nil
	case full:
		return false, *m.full.Load()
	default:
	}
	cycle := guard.Deadlocks.Check(c)
	if cycle != nil && m.undo(c, out) {
		guard.Deadlocks.Drop(c)
		return false, deadlock(cycle)
	}
	if out != nil {
		out.Refuse(*m.full.Load())
	}
	return false, nil
}

// undo undoes push. It does nothing and reports false if c isn't queued any more.
func (m *Mutex) undo(c, out *guard.Ticket) bool {
	m.lock.Lock()
	defer m.lock.Unlock()
	if !m.lock.Queue.Remove(c) {
		return false
	}
	if out != nil {
		push(m.by, &m.lock.Queue, out)
	}
	m.admit()
	return true
}

// remove takes c out of the queue, and lets in those behind it for which there is room. It reports whether c was queued.
func (m *Mutex) remove(c *guard.Ticket) bool {
	if !m.lock.Queue.Remove(c) {
		return false
	}
	m.admit()
	return true
}

// Leave implements [Guard]. It does nothing for a ticket that isn't inside.
func (m *Mutex) Leave(t *Ticket) {
	c := t.ticket()
	if m.lock.LeaveAlone(c) {
		c.Bind(nil)
		return
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	m.leave(c)
}

// leave takes c out, and lets in those for which there is room then. A re-entry has no place to give back.
func (m *Mutex) leave(c *guard.Ticket) {
	held := m.lock.Holders.Remove(c)
	if c.Bound() == &m.lock && !m.lock.Queue.Has(c) {
		c.Bind(nil)
	}
	if held {
		m.admit()
	}
}

// admit lets in tickets from the head of the queue while there is room.
func (m *Mutex) admit() {
	for c := m.lock.Queue.Head(); c != nil; c = m.lock.Queue.Head() {
		switch {
		case c.Weight() > max(m.max, 1): // too heavy since m.max was lowered
			m.lock.Queue.Remove(c)
			c.Refuse(overweight(c.Weight(), m.max))
			continue
		case !m.fits(c):
			return
		}
		m.lock.Queue.Remove(c)
		m.lock.Holders.Push(c)
		if !m.next(c) {
			m.lock.Holders.Remove(c)
		}
	}
}

func (m *Mutex) fits(c *guard.Ticket) bool { return c.Weight() <= m.max-m.lock.Holders.Weight() }

// Withdraw implements [Guard]. It does nothing for a ticket that isn't queued.
func (m *Mutex) Withdraw(t *Ticket) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.remove(t.ticket())
}
