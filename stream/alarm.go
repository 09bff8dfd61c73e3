package stream

import (
	"math"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// later returns t+d, or the largest Duration if that would overflow.
func later(t, d time.Duration) time.Duration { return t + min(d, math.MaxInt64-max(t, 0)) }

type alarm struct {
	p     *pipe
	timer tool.Handle
	set   bool
	due   bool // the timer has fired, and stop was not called since
	fire  func()
}

// start arms the timer, unless it is armed or has fired since the last stop.
func (a *alarm) start(p *pipe, d time.Duration) error {
	if a.set || a.due {
		return nil
	}
	if a.fire == nil {
		a.p = p
		a.fire = func() {
			a.set, a.due = false, true
			a.p.wake()
		}
	}
	timer, err := p.loop.Deferred(d, a.fire)
	a.timer, a.set = timer, err == nil
	return err
}

func (a *alarm) stop() {
	if a.set {
		a.p.loop.Cancel(a.timer)
	}
	a.set, a.due = false, false
}
