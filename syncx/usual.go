package syncx

import "time"

// usual holds moving averages of the times of a guard's sections and of their distances from the average, as TCP keeps them
// for round trips. The zero value has no averages yet.
type usual struct {
	known           bool
	mean, deviation float64
}

// How much a new time counts, and how many deviations from the average are still usual.
const (
	meanWeight      = 1. / 8
	deviationWeight = 1. / 4
	deviations      = 4
)

func (u *usual) add(took time.Duration) {
	t := float64(took)
	if !u.known {
		u.known, u.mean, u.deviation = true, t, t/2
		return
	}
	u.deviation += (max(t-u.mean, u.mean-t) - u.deviation) * deviationWeight
	u.mean += (t - u.mean) * meanWeight
}

// exceeded reports whether took is longer than usual. It reports true if u has no averages yet.
func (u *usual) exceeded(took time.Duration) bool {
	return !u.known || float64(took) > u.mean+deviations*u.deviation
}
