package laws_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// bounds returns the bounds of a search: the most delays in a schedule, 0 for any number, and the most schedules. It reduces one of
// the two with -short and with the race detector, which finds nothing in a search by one goroutine.
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
