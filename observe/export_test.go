package observe

// Clocks returns how many loops the recorder remembers.
func (r *Recorder) Clocks() int { return len(r.clocks) }
