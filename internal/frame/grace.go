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
	f.Outwards(func(f *Frame) bool {
		if g, ok := f.Op().(Gracer); ok && !f.Handled() {
			d, set = g.Grace()
		}
		return !set
	})
	if g, ok := f.Run().owner.(Guest); ok && !set {
		return g.Grace()
	}
	return d, set
}
