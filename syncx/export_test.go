package syncx

func (throttle *Throttle) Entered() int {
	throttle.mu.Lock()
	defer throttle.mu.Unlock()
	return throttle.entered
}

func (l *Limiter) Entered() int { return l.throttle.Entered() }
