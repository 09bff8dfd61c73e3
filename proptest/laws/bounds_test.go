package laws_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// bounds returns the bounds of a search of schedules: how many delays each has, 0 for any number, and how many are tried.
// With -short, and with the race detector, to which a search by one goroutine shows nothing, it is a small search.
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
