package syncx

// Capacity returns how many flows may be inside at once. Any goroutine may call it.
func (m *Mutex) Capacity() int {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.max
}

// SetCapacity changes how many flows may be inside at once. Everything else is as for [Mutex.SetLimits].
//
//spec:ftn12 §1.11.6; rule G13
func (m *Mutex) SetCapacity(maximum int) error {
	return m.change(maximum, func(queue int) int { return queue })
}

// Capacity returns how many flows may enter in one period. Any goroutine may call it.
func (throttle *Throttle) Capacity() int {
	throttle.mu.Lock()
	defer throttle.mu.Unlock()
	return throttle.max
}

// Capacity returns how many flows may be inside at once. Any goroutine may call it.
func (l *Limiter) Capacity() int { return l.mutex.Capacity() }

// SetCapacity changes how many flows may be inside at once, as [Mutex.SetCapacity] does. The rate stays.
//
//spec:ftn12 §1.11.7; rule G13
func (l *Limiter) SetCapacity(maximum int) error {
	if err := l.Err(); err != nil {
		return err
	}
	return l.mutex.SetCapacity(maximum)
}

// SetCapacity sets the limit by hand: it stays, because it becomes the Min and the Max of the policy. For the Adaptive to
// learn again, set other bounds with [Adaptive.SetPolicy]. Everything else is as for SetPolicy.
//
//spec:ftn12 §1.11.3; rules G10, G13
func (a *Adaptive) SetCapacity(limit int) error {
	if err := badMaximum("adaptive limit", limit); err != nil { // 0 would stand for the default
		return err
	}
	return a.change(func(p *AdaptivePolicy) { p.Min, p.Max = limit, limit })
}

// Capacity returns how many flows may enter at once after a long pause. Any goroutine
// may call it.
func (b *TokenBucket) Capacity() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.filling.burst // 0 if it isn't well formed
}
