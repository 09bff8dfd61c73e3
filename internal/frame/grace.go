package frame

import "time"

// A Gracer is an op that sets the grace of what is in its step. It reports false if
// it doesn't.
type Gracer interface{ Grace() (time.Duration, bool) }

// grace returns how long the current step of f may take to end when it is to be
// left: own, unless that is zero, or what the nearest Gracer around says, or what
// the loop says. Below zero there is no limit.
func (f *Frame) grace(own time.Duration) time.Duration {
	found := own != 0
	if !found {
		f.Outwards(func(f *Frame) bool {
			if g, ok := f.Op().(Gracer); ok && !f.Handled() {
				own, found = g.Grace()
			}
			return !found
		})
	}
	switch l := f.Run().lingers(); {
	case found:
		return own
	case l != nil:
		return l.graceAround()
	default:
		return f.Run().Tool().Host().Grace()
	}
}
