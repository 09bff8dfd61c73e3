package timeline

import (
	"math"
	"time"
)

// axis is the scale that all runs of a picture share.
type axis struct {
	left, width float64
	end         time.Duration
}

func (a axis) at(t time.Duration) float64 {
	return a.left + a.width*float64(t)/float64(max(a.end, 1))
}

// maxTicks is how many ticks, besides the one at 0, fit without touching labels.
const maxTicks = 8

// ticks returns the times to mark: 0, and multiples of 1, 2 or 5 times a power of ten in nanoseconds, as many as fit.
func (a axis) ticks() []time.Duration {
	least := float64(max(a.end, 1)) / maxTicks
	unit := math.Pow(10, math.Floor(math.Log10(least)))
	step := unit
	for _, factor := range []float64{2, 5, 10} {
		if step < least {
			step = unit * factor
		}
	}
	every := max(time.Duration(step), 1)
	ticks := make([]time.Duration, a.end/every+1)
	for i := range ticks[1:] {
		ticks[i+1] = ticks[i] + every
	}
	return ticks
}
