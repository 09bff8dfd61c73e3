package observe

func (r *Recorder) Clocks() int { return len(r.clocks) }
