package tool

// NewManualOn returns a Manual on the host h.
func NewManualOn(h *Host, burst int) *Manual { return &Manual{core: newCore(h, burst)} }

// WithoutTimers takes the queue of timers away: a turn that looks at it panics.
func (m *Manual) WithoutTimers() { m.queue = nil }
