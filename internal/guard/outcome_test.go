package guard

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A section is timed if its guard has asked for that, and if a step of it has begun. What another guard has asked for
// with the same memory doesn't count.
func TestOutcomeTook(t *testing.T) {
	var c Ticket
	now := time.Hour
	l := &clockedLoop{Loop: tooltest.New()}
	l.host = tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration { return now }))
	run := startRun(t, l, &opFunc{exec: func(f *frame.Frame) frame.Verdict {
		for _, test := range []struct {
			name          string
			clock, inside bool
			want          time.Duration
		}{
			{"timed", true, true, time.Second},
			{"granted, and not entered", true, false, 0},
			{"not timed", false, true, 0},
		} {
			c.Ask(f)
			if test.clock {
				c.Clock()
			}
			if test.inside {
				c.Enter()
			} else {
				c.Grant()
			}
			now += time.Second
			c.End()
			if got := c.Outcome().Took; got != test.want {
				t.Errorf("%s: it took %v, want %v", test.name, got, test.want)
			}
		}
		return frame.Done
	}})
	l.Run()
	if !run.HasEnded() || run.Result() != nil {
		t.Errorf("ended: %t, with %v", run.HasEnded(), run.Result())
	}
}
