package prometheus

import "github.com/futoin-go/asyncsteps/observe"

// progress counts what has happened in the stages of a stream since the event before.
func (r *run) progress(e observe.Event) {
	stages, last := e.Stages()
	path := e.Path()
	before := r.streams[path]
	if len(before) != len(stages) {
		before = make([]observe.Stage, len(stages))
	}
	for i, s := range stages {
		r.stage(s, before[i])
	}
	switch {
	case last:
		delete(r.streams, path)
	case r.streams == nil:
		r.streams = map[string][]observe.Stage{path: stages}
	default:
		r.streams[path] = stages
	}
}

func (r *run) stage(now, before observe.Stage) {
	plan, stage := r.stages.pair(r.plan, now.Label())
	for _, x := range [...]struct {
		fate string
		n    int64
	}{
		{"in", now.In - before.In},
		{"out", now.Out - before.Out},
		{"dead", now.Dead - before.Dead},
		{"failed", now.Failed - before.Failed},
		{"lost", now.Lost - before.Lost},
	} {
		if x.n > 0 {
			r.elements.WithLabelValues(plan, stage, x.fate).Add(float64(x.n))
		}
	}
	r.held.WithLabelValues(plan, stage).Add(float64(now.Held - before.Held))
}

// forget subtracts the elements held by streams that haven't reported their end when the run ends.
func (r *run) forget() {
	for _, stages := range r.streams {
		for _, s := range stages {
			ended := s
			ended.Held = 0
			r.stage(ended, s)
		}
	}
	r.streams = nil
}
