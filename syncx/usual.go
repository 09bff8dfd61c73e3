package syncx

import "time"

// usual is how long the sections of a guard usually take: moving averages of their times and of how far these are from the
// average, as TCP keeps them for round trips. The zero value knows nothing.
type usual struct {
	known           bool
	mean, deviation float64
}

// The weights of a new time, and how many deviations from the average are still usual.
const (
	meanWeight      = 1. / 8
	deviationWeight = 1. / 4
	deviations      = 4
)

// add adds the time of a section that has ended with a value.
func (u *usual) add(took time.Duration) {
	t := float64(took)
	if !u.known {
		u.known, u.mean, u.deviation = true, t, t/2
		return
	}
	u.deviation += (max(t-u.mean, u.mean-t) - u.deviation) * deviationWeight
	u.mean += (t - u.mean) * meanWeight
}

// exceeded reports whether a section that hasn't ended after took takes longer than usual. It does if nothing is known.
func (u *usual) exceeded(took time.Duration) bool {
	return !u.known || float64(took) > u.mean+deviations*u.deviation
}
