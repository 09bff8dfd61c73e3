package plan_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/tool"
)

// The clock of a pooled loop may show a time years after that of a synctest bubble.
func TestClockOfAHostFromOutsideOfTheBubble(t *testing.T) {
	old := tool.NewHost(tool.TurnLimits{})
	synctest.Test(t, func(t *testing.T) {
		var c plan.Clock
		began := c.Now(old)
		time.Sleep(time.Second)
		if passed := c.Now(old) - began; passed != time.Second {
			t.Errorf("%v have passed", passed)
		}
	})
}
