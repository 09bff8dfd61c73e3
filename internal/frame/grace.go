package frame

import "time"

// A Gracer is an op that sets the grace of what is in its step. It reports false if
// it doesn't.
type Gracer interface{ Grace() (time.Duration, bool) }

// grace returns how long the current step of f may take to end when it is to be
// left: own, unless that is zero, or what the nearest Gracer around says, or what
// the loop says. Below zero there is no limit.
func (f *Frame) grace(own time.Duration) time.Duration {
	if own != 0 {
		return own
	}
	if d, set := f.graceAround(); set {
		return d
	}
	return f.Run().Tool().Host().Grace()
}

// graceAround returns what the nearest Gracer around the current step of f says, be it around a step
// of another run that waits for the end of this one; set is false if there is none.
func (f *Frame) graceAround() (d time.Duration, set bool) {
	s := f.fiber
	if s.mode != running && s.graced.known && f.depth > s.graced.depth {
		return s.graced.d, s.graced.set
	}
	depth := int32(-1) // of the Gracer, if it is in this run
	f.Outwards(func(o *Frame) bool {
		if g, ok := o.Op().(Gracer); ok && !o.Handled() {
			if d, set = g.Grace(); set && o.fiber.run == s.run {
				depth = o.depth
			}
		}
		return !set
	})
	if g, ok := s.run.owner.(Guest); ok && !set {
		d, set = g.Grace()
	}
	if s.mode != running {
		s.graced = gracedBy{d: d, set: set, known: true, depth: depth}
	}
	return d, set
}

// gracedBy is the grace around that a fiber has found while it leaves levels. It holds for all levels inside of the
// Gracer. The fiber goes outwards only, so it looks at each level once.
type gracedBy struct {
	d          time.Duration
	set, known bool
	depth      int32 // of the Gracer; -1 if it is in no level of this run
}
