package laws_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// bounds returns the bounds of a search of schedules: delays in each, 0 for any number, and how many are tried. It reduces
// them with -short and with the race detector, which finds nothing in a search by one goroutine.
func bounds(delays, schedules int) explore.Bounds {
	switch {
	case !testing.Short() && !racetest.Enabled:
	case delays > 0:
		delays = 1
	default:
		schedules /= 20
	}
	return explore.Bounds{Delays: delays, Schedules: schedules}
}
