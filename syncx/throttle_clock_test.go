package syncx_test

import (
	"context"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type clockedLoop struct {
	*tooltest.Loop
	host *tool.Host
}

func (c *clockedLoop) Host() *tool.Host { return c.host }

// Law 50, G3: the goroutine is preempted for 4 ms while it reads the clocks of two loops to move a window from one to the
// other.
func TestWindowGoesToAnotherClock(t *testing.T) {
	a, b := &clockedLoop{Loop: tooltest.New()}, &clockedLoop{Loop: tooltest.New()}
	looks := -1 // reads of a's clock until the pause; below zero, there is none
	a.host = tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration {
		if looks--; looks == 0 {
			a.Lag(4 * ms)
			b.Lag(4 * ms)
		}
		return a.Now()
	}))
	b.host = tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration { return b.Now() }))
	throttle := syncx.NewThrottle(2, 10*ms, -1)
	var at []time.Duration
	enter := syncx.Sync(throttle, step.Map(func(string) string { at = append(at, b.Now()); return "" }))
	pass := func(d time.Duration) { a.Advance(d); b.Advance(d) }
	flow.Start(context.Background(), a, enter, "")
	pass(9 * ms)
	flow.Start(context.Background(), a, enter, "")
	pass(0)
	for range 4 {
		flow.Start(context.Background(), b, enter, "")
	}
	looks = 2
	b.Advance(0)
	for range 30 {
		pass(ms)
	}
	if len(at) != 6 {
		t.Fatalf("%d entries of 6", len(at))
	}
	for i, from := range at {
		n := 0
		for _, x := range at[i:] {
			if x < from+10*ms {
				n++
			}
		}
		if n > 4 { // two of each window that 10 ms may touch
			t.Errorf("%d entries within 10ms from %v on, at most 4 are allowed", n, from)
		}
	}
}
