package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/internal/clock"
	"github.com/futoin-go/asyncsteps/tool"
)

// A loop may have been made outside of the synctest bubble in which its clock is read.
func TestClockOfAHostFromOutsideOfTheBubble(t *testing.T) {
	old := tool.NewHost(tool.TurnLimits{})
	synctest.Test(t, func(t *testing.T) {
		var c clock.Shared
		began := c.Now(old)
		time.Sleep(time.Second)
		if passed := c.Now(old) - began; passed != time.Second {
			t.Errorf("%v have passed", passed)
		}
	})
}

// Loops that began at different times agree on the time of an Axis, whichever of them asks.
func TestAxisOfSeveralLoops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := tool.NewHost(tool.TurnLimits{})
		time.Sleep(time.Hour)
		second := tool.NewHost(tool.TurnLimits{})
		var a clock.Axis
		began := a.At(clock.Read(first))
		for i, host := range []*tool.Host{first, second, second, first, second} {
			if passed := a.At(clock.Read(host)) - began; passed != time.Duration(i)*time.Second {
				t.Errorf("look %d: %v have passed, want %d s", i, passed, i)
			}
			time.Sleep(time.Second)
		}
	})
}
