package explore

import (
	"fmt"
	"math"
)

// estimate is the mean of single estimates of the number of schedules. Each is right on average. If the probabilities of the schedules
// differ much, the mean is usually too low, because only a few of the single estimates are very high.
type estimate struct {
	trials int
	sum    float64
}

func (e *estimate) add(total float64) {
	e.sum += total
	e.trials++
}

func (e *estimate) mean() float64 { return e.sum / float64(e.trials) }

// String returns the estimate rounded to two digits.
func (e *estimate) String() string {
	mean := e.mean()
	switch {
	case math.IsInf(mean, 1):
		return "more than 1e+308"
	case mean < 100:
		return fmt.Sprintf("%.0f", mean)
	case mean < 1e6:
		unit := math.Pow(10, math.Floor(math.Log10(mean))-1)
		return fmt.Sprintf("%.0f", math.Round(mean/unit)*unit)
	default:
		return fmt.Sprintf("%.1e", mean)
	}
}
