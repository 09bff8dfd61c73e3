package syncx

// Entered returns the number of entries in the current window.
func (h *Throttle) Entered() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.entered
}

// Entered returns the number of entries in the current window.
func (l *Limiter) Entered() int { return l.throttle.Entered() }
