package syncx

// Capacity returns how many flows may be inside at once. Any goroutine may call it.
func (m *Mutex) Capacity() int {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.max
}

// Capacity returns how many flows may enter in one period. Any goroutine may call it.
func (h *Throttle) Capacity() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.max
}

// Capacity returns how many flows may be inside at once. Any goroutine may call it.
func (l *Limiter) Capacity() int { return l.mutex.Capacity() }

// Capacity returns how many flows may enter at once after a long pause. Any goroutine
// may call it.
func (b *TokenBucket) Capacity() int {
	if b.every <= 0 {
		return 0 // it isn't well formed
	}
	return int(b.room / b.every)
}
