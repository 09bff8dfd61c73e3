package syncx

import (
	"math"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// The methods in this file compute the windows of a Throttle. h.mu is locked in all of them.

// roll ends the window if its time is over. If entries wait, the next one
// follows on it, and they are let in; otherwise one is opened now, by the clock
// of loop, for the entry that asks.
func (h *Throttle) roll(loop tool.Tool) {
	if h.loop != nil {
		late := h.loop.Host().Now() - h.end
		if late < 0 {
			return
		}
		if h.queue.Len() > 0 {
			// Windows that nobody has seen pass, on a loop that was held up,
			// are lost: their entries would exceed the rate of this one.
			h.end = later(h.end, late-late%h.period+h.period)
			h.entered, h.window = 0, h.window+1
			h.admit()
			return
		}
	}
	h.disarm() // a timer that is due; it belongs to the former loop
	h.loop = loop
	h.end = later(loop.Host().Now(), h.period)
	h.entered, h.window = 0, h.window+1
}

// admit lets in as many as the window has room for.
func (h *Throttle) admit() {
	for c := h.queue.Head(); c != nil; c = h.queue.Head() {
		switch {
		case c.Weight() > h.max: // SetLimits has made it too heavy
			h.queue.Remove(c)
			c.Refuse(overweight(c.Weight(), h.max))
			continue
		case !h.fits(c):
			return
		}
		h.queue.Remove(c)
		if c.Grant() {
			h.enter(c)
		}
	}
}

// expire is the timer's callback.
func (h *Throttle) expire() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.armed && !h.loop.Valid(h.timer) {
		h.armed = false // otherwise this is a former timer, cancelled too late
	}
	if h.queue.Len() > 0 {
		h.roll(h.loop)
	}
	h.arm()
}

// arm sees to it that a timer waits for the end of the window while entries
// wait. It is on the loop of the first of them, which serves as long as that one
// waits; so the throttle depends on no loop that may shut down. The time left
// goes with it from one loop's clock to the other's.
func (h *Throttle) arm() {
	for {
		first := h.queue.Head()
		if first == nil {
			h.disarm()
			return
		}
		loop := first.Loop()
		if host := loop.Host(); host != h.loop.Host() {
			h.disarm()
			left := h.end - h.loop.Host().Now() // first: a pause between the two looks may only lengthen the window
			h.end = later(host.Now(), left)
			h.loop = loop
		}
		if h.armed {
			return
		}
		timer, err := loop.Deferred(max(h.end-loop.Host().Now(), 0), h.fire)
		if err == nil {
			h.timer, h.armed = timer, true
			return
		}
		h.queue.Remove(first) // its loop refuses to work: try the next
		first.Refuse(err)
	}
}

func (h *Throttle) disarm() {
	if h.armed {
		h.loop.Cancel(h.timer)
		h.armed = false
	}
}

// later returns t+d, or the largest Duration if that would overflow.
func later(t, d time.Duration) time.Duration { return t + min(d, math.MaxInt64-max(t, 0)) }
