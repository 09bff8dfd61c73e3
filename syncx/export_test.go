package syncx

// Entered returns the number of entries in the current window.
func (throttle *Throttle) Entered() int {
	throttle.mu.Lock()
	defer throttle.mu.Unlock()
	return throttle.entered
}

// Entered returns the number of entries in the current window.
func (l *Limiter) Entered() int { return l.throttle.Entered() }
