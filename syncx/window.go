package syncx

import (
	"math"
	"time"

	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// The methods in this file compute the windows of a Throttle. expire locks its mu; the others are called with mu held.

// roll ends the window if its time is over. If entries wait, the next window follows and lets them in; otherwise a window is
// opened now, by the clock of loop, for the entry that asks.
func (throttle *Throttle) roll(loop tool.Tool) {
	if throttle.loop != nil {
		late := usercode.HostOf(throttle.loop).Now() - throttle.end
		if late < 0 {
			return
		}
		if throttle.queue.Len() > 0 {
			// If the loop was held up, windows may have passed unseen. They
			// are skipped: to let their entries in now would exceed the rate.
			throttle.end = later(throttle.end, late-late%throttle.period+throttle.period)
			throttle.entered, throttle.window = 0, throttle.window+1
			throttle.admit()
			return
		}
	}
	throttle.disarm() // the timer, if any, is due, and belongs to the former loop
	throttle.loop = loop
	throttle.end = later(usercode.HostOf(loop).Now(), throttle.period)
	throttle.entered, throttle.window = 0, throttle.window+1
}

func (throttle *Throttle) admit() {
	for c := throttle.queue.Head(); c != nil; c = throttle.queue.Head() {
		switch {
		case c.Weight() > throttle.max: // SetLimits has made it too heavy
			throttle.queue.Remove(c)
			c.Refuse(overweight(c.Weight(), throttle.max))
			continue
		case !throttle.fits(c):
			return
		}
		throttle.queue.Remove(c)
		if c.Grant() {
			throttle.enter(c)
		}
	}
}

func (throttle *Throttle) expire() {
	throttle.mu.Lock()
	defer throttle.mu.Unlock()
	if throttle.armed && !throttle.loop.Valid(throttle.timer) {
		throttle.armed = false // otherwise this is a former timer, cancelled too late
	}
	if throttle.queue.Len() > 0 {
		throttle.roll(throttle.loop)
	}
	throttle.arm()
}

// arm sets a timer for the end of the window if entries wait. The timer is on the loop of the first of them, which serves as
// long as that entry waits; so the throttle depends on no loop that may shut down. When the timer moves to another loop, the
// end of the window becomes a time of that loop's clock, with the same time left.
func (throttle *Throttle) arm() {
	for {
		first := throttle.queue.Head()
		if first == nil {
			throttle.disarm()
			return
		}
		loop := first.Loop()
		if host := usercode.HostOf(loop); host != usercode.HostOf(throttle.loop) {
			throttle.disarm()
			left := throttle.end - usercode.HostOf(throttle.loop).Now() // read before host.Now: a pause between the two may only lengthen the window
			throttle.end = later(host.Now(), left)
			throttle.loop = loop
		}
		if throttle.armed {
			return
		}
		timer, err := loop.Deferred(max(throttle.end-usercode.HostOf(loop).Now(), 0), throttle.fire)
		if err == nil {
			throttle.timer, throttle.armed = timer, true
			return
		}
		throttle.queue.Remove(first) // its loop takes no more work: try the next entry
		first.Refuse(err)
	}
}

func (throttle *Throttle) disarm() {
	if throttle.armed {
		throttle.loop.Cancel(throttle.timer)
		throttle.armed = false
	}
}

// later returns t+d, or the largest Duration if that would overflow.
func later(t, d time.Duration) time.Duration { return t + min(d, math.MaxInt64-max(t, 0)) }
