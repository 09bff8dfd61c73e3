package syncx

import "time"

// SetLimits changes the limits; the parameters mean what they do for [NewMutex]. Flows that are inside stay, so for a while
// there may be more of them than a lower maximum allows. Flows that wait stay too, but a section of [SyncWeighted] that is
// too heavy now fails when its turn comes. Those for which there is room now enter. Any goroutine may call it.
//
// Errors: fault.InvalidRequest if NewMutex doesn't take the limits; then nothing changes. A Mutex that isn't well formed stays so.
// With a lower maximum, waits may become a deadlock; SetLimits doesn't search for one.
//
//spec:ftn12 §1.11.6; rule G13
func (m *Mutex) SetLimits(maximum, maxQueue int) error {
	return m.change(maximum, func(int) int { return maxQueue })
}

// change sets the maximum. queue returns the new bound of the queue for the old one.
func (m *Mutex) change(maximum int, queue func(int) int) error {
	if err := m.Err(); err != nil {
		return err
	}
	if err := badMaximum(m.kind, maximum); err != nil {
		return err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	m.set(maximum, queue(m.maxQueue))
	m.lock.Places = maximum
	return nil
}

// set changes the limits, and lets in those for which there is room; m is locked.
func (m *Mutex) set(maximum, maxQueue int) {
	m.max = maximum
	m.setQueue(maxQueue)
	m.admit()
}

// SetLimits changes the limits; the parameters mean what they do for [NewThrottle]. Entries of the window count for the new
// maximum too. The window ends when it would have, and the next one has the new period. Flows that wait stay, but a section
// of [SyncWeighted] that is too heavy now fails when its turn comes. Those for which there is room now enter. Any goroutine
// may call it.
//
// Errors: fault.InvalidRequest if NewThrottle doesn't take the limits; then nothing changes. A Throttle that isn't well formed
// stays so.
//
//spec:ftn12 §1.11.6; rule G13
func (throttle *Throttle) SetLimits(maximum int, period time.Duration, maxQueue int) error {
	if err := throttle.Err(); err != nil {
		return err
	}
	if err := badRate(throttle.kind, maximum, period); err != nil {
		return err
	}
	throttle.mu.Lock()
	defer throttle.mu.Unlock()
	throttle.setLimits(maximum, period, maxQueue)
	if throttle.queue.Len() > 0 {
		throttle.roll(throttle.loop) // the window may be over
		throttle.admit()
		throttle.arm()
	}
	return nil
}

// SetLimits changes the limits; the parameters mean what they do for [NewTokenBucket]. The tokens that are there stay, as
// many as fit. Entries that wait stay too, and from now on wait for tokens of the new rate, but a section of [SyncWeighted]
// that is too heavy now fails when its turn comes. If none waits, the new rate counts from the latest use of the bucket. Any
// goroutine may call it.
//
// Errors: fault.InvalidRequest if NewTokenBucket doesn't take the limits; then nothing changes. A TokenBucket that isn't well
// formed stays so.
//
//spec:ftn12 §1.11.6; rule G13
func (b *TokenBucket) SetLimits(rate int, period time.Duration, burst, maxQueue int) error {
	if err := b.Err(); err != nil {
		return err
	}
	to, err := newFilling(rate, period, burst)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Latest()
	if first := b.queue.Head(); first != nil {
		now = b.clock.Now(host(first))
	}
	if b.filled.whole >= now { // otherwise it is full
		left := b.filled.minus(span{whole: now}, b.filling.rate)
		b.filled = b.filling.refit(left, &to).plus(span{whole: now}, to.rate)
	}
	b.filling = to
	b.setQueue(maxQueue)
	b.disarm()
	b.admit()
	return nil
}

// SetLimits changes the limits, as [Mutex.SetLimits] and [Throttle.SetLimits] do. It returns fault.InvalidRequest if
// [NewLimiter] doesn't take the limits; then nothing changes. A Limiter that isn't well formed stays so. Any goroutine may call
// it.
//
//spec:ftn12 §1.11.7; rule G13
func (l *Limiter) SetLimits(limits Limits) error {
	if err := l.Err(); err != nil {
		return err
	}
	limits.complete()
	if err := badMaximum(l.mutex.kind, limits.Concurrent); err != nil {
		return err
	}
	if err := l.throttle.SetLimits(limits.Rate, limits.Period, limits.Burst); err != nil {
		return err
	}
	return l.mutex.SetLimits(limits.Concurrent, limits.MaxQueue)
}

// Policy returns the policy, with the defaults in the place of zeros if the Adaptive is well formed. Any goroutine may call it.
func (a *Adaptive) Policy() AdaptivePolicy {
	if a == nil {
		return AdaptivePolicy{}
	}
	a.mutex.lock.Lock()
	defer a.mutex.lock.Unlock()
	return a.how
}

// SetPolicy changes the policy, except Name and OnChange, which stay. The limit moves to the nearer bound if it is outside
// of Min and Max, and stays otherwise; Start isn't used. A Min equal to Max sets the limit by hand. A new Window counts from
// the beginning of the window that has begun. Flows that are inside or wait stay. Begin with [Adaptive.Policy], which has your
// functions. Any goroutine may call SetPolicy; OnChange is called on the goroutine of the caller or, if an earlier call of
// OnChange is still under way, on the goroutine of that call. In the first case SetPolicy panics if OnChange does.
//
// Errors: fault.InvalidRequest if [NewAdaptive] doesn't take the policy without its Start; then nothing changes. An Adaptive that isn't well
// formed stays so.
//
//spec:ftn12 §1.11.3; rules G10, G13
func (a *Adaptive) SetPolicy(p AdaptivePolicy) error {
	return a.change(func(q *AdaptivePolicy) { *q = p })
}

// change calls by with a copy of the policy, and installs the copy if it is valid. by is called under the lock.
func (a *Adaptive) change(by func(*AdaptivePolicy)) error {
	if err := a.Err(); err != nil {
		return err
	}
	if err := a.changeLocked(by); err != nil {
		return err
	}
	a.changes.tell(&a.mutex.lock, nil)
	return nil
}

func (a *Adaptive) changeLocked(by func(*AdaptivePolicy)) error {
	a.mutex.lock.Lock()
	defer a.mutex.lock.Unlock()
	p := a.how
	by(&p)
	p.Start = 0 // it could be outside of the new bounds
	if err := p.complete(); err != nil {
		return err
	}
	p.Name, p.OnChange = a.how.Name, a.how.OnChange
	a.how = p
	from := a.mutex.max
	a.limit = min(max(a.limit, float64(p.Min)), float64(p.Max))
	a.mutex.set(a.places(), p.MaxQueue)
	if to := a.mutex.max; to != from {
		a.changes.add(from, to)
	}
	return nil
}

// Policy returns the policy, with the defaults in the place of zeros if the Breaker is well formed. Any goroutine may call it.
func (b *Breaker) Policy() BreakerPolicy {
	if b.Err() == errNoBreaker { //nolint:errorlint // compared by identity
		return BreakerPolicy{}
	}
	return *b.how.Load()
}

// SetPolicy changes the policy, except Name and OnChange, which stay. The state stays, and sections that are inside count as
// before. But a half-open Breaker closes if as many probes have succeeded as the new policy asks for; OnChange is then called
// as for [Breaker.Isolate]. Outcomes go on counting, unless Last or Window changes: then the counts begin anew. The pause of
// an open Breaker ends as if the new Pause had counted from its beginning. Begin with [Breaker.Policy], which has your
// functions. If that policy has no Window, its Last isn't 0: set Last to 0 before you set a Window, or Failures or
// MinSections above Last. Any goroutine may call SetPolicy.
//
// Errors: fault.InvalidRequest if [NewBreaker] doesn't take the policy; then nothing changes. A Breaker that isn't well formed
// stays so.
//
//spec:ftn12 §1.11.3; rules G6, G13
func (b *Breaker) SetPolicy(p BreakerPolicy) error {
	if err := b.Err(); err != nil {
		return err
	}
	if err := p.complete(); err != nil {
		return err
	}
	b.set(p)
	b.changes.tell(&b.mu, nil)
	return nil
}

func (b *Breaker) set(p BreakerPolicy) {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := b.how.Load()
	p.Name, p.OnChange = old.Name, old.OnChange
	if p.Last != old.Last || p.Window != old.Window {
		b.seen = p.tally()
	}
	b.how.Store(&p)
	if b.state == HalfOpen && b.passed >= p.Probes { // no further section is let in that could close it
		b.become(Closed)
	}
}

// Isolate opens the Breaker by hand: it lets no flow in until [Breaker.Reset]. Sections that are inside go on, and
// don't count any more. Any goroutine may call Isolate; OnChange is called on the goroutine of the caller or, if an earlier
// call of OnChange is still under way, on the goroutine of that call. In the first case Isolate panics if OnChange does. A
// Breaker that isn't well formed stays as it is.
//
//spec:ftn12 §1.11.3; rules G6, G13
func (b *Breaker) Isolate() { b.byHand(Open) }

// Reset closes the Breaker by hand, and forgets what it has counted; it ends what [Breaker.Isolate] has begun. If the Breaker was
// closed already, the sections inside still count. Everything else is as for Isolate.
//
//spec:ftn12 §1.11.3; rules G6, G13
func (b *Breaker) Reset() { b.byHand(Closed) }

func (b *Breaker) byHand(to BreakerState) {
	if b.Err() != nil {
		return
	}
	b.mu.Lock()
	b.held = to == Open
	if b.state != to {
		b.become(to)
	}
	b.seen.reset()
	b.mu.Unlock()
	b.changes.tell(&b.mu, nil)
}
