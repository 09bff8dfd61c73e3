package guard

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A section is timed if its guard has asked for that, and if it was entered. A ticket that is used again forgets that an
// earlier guard has asked.
func TestOutcomeTook(t *testing.T) {
	var c Ticket
	now := time.Hour
	l := &clockedLoop{Loop: tooltest.New()}
	l.host = tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration { return now }))
	run := startRun(t, l, &opFunc{exec: func(f *frame.Frame) frame.Verdict {
		for _, test := range []struct {
			name   string
			clock  func(*Ticket)
			inside bool
			want   time.Duration
		}{
			{"timed", (*Ticket).Clock, true, time.Second},
			{"timed on a loop of another package", (*Ticket).ClockWaits, true, time.Second},
			{"granted, and not entered", (*Ticket).Clock, false, 0},
			{"not timed", func(*Ticket) {}, true, 0},
		} {
			c.Ask(f)
			test.clock(&c)
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

// The time of ClockWaits doesn't begin in the turn in which the section begins, if that is short and nobody asks for the
// loop.
func TestOutcomeOfWaits(t *testing.T) {
	loop := tool.NewManual(tool.Options{})
	var c Ticket
	reads := 0
	run := startRun(t, loop, &opFunc{exec: func(f *frame.Frame) frame.Verdict {
		for _, begin := range []func(){
			func() {},
			func() { f.Run().Host(); reads++ },
		} {
			c.Ask(f)
			c.ClockWaits()
			c.Enter()
			begin()
			for start := time.Now(); time.Since(start) == 0; { // until the clock has moved
			}
			c.End()
			if took := c.Outcome().Took; (took > 0) != (reads > 0) {
				t.Errorf("the loop was asked for %d times, it took %v", reads, took)
			}
		}
		return frame.Done
	}})
	for loop.Iterate() {
	}
	if !run.HasEnded() || run.Result() != nil {
		t.Errorf("ended: %t, with %v", run.HasEnded(), run.Result())
	}
}
