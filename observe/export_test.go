package observe

// Clocks is how many loops the recorder remembers.
func (r *Recorder) Clocks() int { return len(r.clocks) }
