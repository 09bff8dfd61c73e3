package syncx

import "time"

// Limits are the bounds of a [Limiter]. The zero Limits lets in one flow at a
// time, at most once a second, and queues none.
type Limits struct {
	// Concurrent is how many flows may be inside at once; 0 stands for 1.
	Concurrent int

	// MaxQueue is how many flows may wait because Concurrent are inside. 0:
	// none, below zero: any number.
	MaxQueue int

	// Rate is how many entries are allowed in one Period; 0 stands for 1.
	Rate int

	// Period is the length of the windows of time; 0 stands for one second.
	Period time.Duration

	// Burst is how many flows may wait because Rate is used up. 0: none, below
	// zero: any number. They count as inside for Concurrent.
	Burst int
}

func (l *Limits) complete() {
	if l.Concurrent == 0 {
		l.Concurrent = 1
	}
	if l.Rate == 0 {
		l.Rate = 1
	}
	if l.Period == 0 {
		l.Period = time.Second
	}
}

// Limiter bounds both how many flows are inside a section at once and how many
// entries there are in a period: it is a [Mutex] and, inside of it, a [Throttle].
// They are left in the reverse order.
//
// A flow that enters a Limiter it is inside of needs no further place, but the
// entry counts for the rate.
//
// A Limiter is safe for concurrent use, by runs on any loops. It must not be
// copied. The zero Limiter isn't well formed: use [NewLimiter].
//
//spec:ftn12 §1.11.7, §2.5
type Limiter struct {
	mutex    Mutex
	throttle Throttle
}

// NewLimiter makes a Limiter with the given limits. A flow that finds a queue full is
// rejected, with [fault.DefenseRejected]: at once for MaxQueue, and for Burst
// when it has got its place among the Concurrent.
//
// With a Concurrent, a Rate or a Period below zero the Limiter isn't well
// formed: plans that use it can't be run, see [Limiter.Err].
//
//spec:ftn12 §1.11.6, §2.5
func NewLimiter(limits Limits) *Limiter {
	limits.complete()
	l := new(Limiter)
	l.mutex.lock.Init("limiter")
	l.mutex.init("limiter: concurrent", limits.Concurrent, limits.MaxQueue)
	l.throttle.init("limiter: rate", limits.Rate, limits.Period, limits.Burst)
	l.mutex.next = l.throttle.pass
	return l
}

var errNoLimiter = invalid("limiter: not made by NewLimiter")

// Err returns nil if the Limiter is well formed, otherwise a fault.InvalidRequest.
func (l *Limiter) Err() error {
	if l == nil || l.mutex.next == nil {
		return errNoLimiter
	}
	if err := l.mutex.Err(); err != nil {
		return err
	}
	return l.throttle.Err()
}

// Inside returns the number of entries that haven't left yet. Any goroutine may call it.
func (l *Limiter) Inside() int { return l.throttle.Inside() }

// Queued returns the number of flows that wait now, for either reason. Any goroutine may call it.
func (l *Limiter) Queued() int { return l.mutex.Queued() + l.throttle.Queued() }

// Enter implements [Guard]. It fails as [Mutex.Enter] and [Throttle.Enter] do.
func (l *Limiter) Enter(t *Ticket) (entered bool, err error) {
	if err := l.Err(); err != nil {
		return false, err
	}
	t.ticket().Loop() // the first call must be on the loop, and the throttle may call Loop on another goroutine
	if entered, err := l.mutex.Enter(t); !entered {
		return false, err
	}
	kept := false
	defer func() {
		if !kept { // also if a context of the user's has ended the goroutine
			l.mutex.Leave(t)
		}
	}()
	entered, err = l.throttle.Enter(t)
	kept = err == nil
	return entered, err
}

// Leave implements [Guard].
func (l *Limiter) Leave(t *Ticket) {
	l.throttle.Leave(t)
	l.mutex.Leave(t)
}

// Withdraw implements [Guard]. The mutex is locked so that t doesn't move from one queue to the other meanwhile.
func (l *Limiter) Withdraw(t *Ticket) {
	c := t.ticket()
	l.mutex.lock.Lock()
	defer l.mutex.lock.Unlock()
	if !l.mutex.remove(c) {
		l.throttle.Withdraw(t)
		l.mutex.leave(c)
	}
}
