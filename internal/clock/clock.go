// Package clock relates the clocks of several loops that share something.
package clock

import (
	"math"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// Reading holds what the clock of a loop showed. The clock may be user code: take the Reading before you lock the [Axis].
type Reading struct {
	host *tool.Host
	at   time.Duration
}

// Read reads the clock of host.
func Read(host *tool.Host) Reading { return Reading{host, host.Now()} }

// Since returns the time from earlier to r, also if they are readings of two loops. It calls no user code.
func (r Reading) Since(earlier Reading) time.Duration {
	passed := r.at - earlier.at
	if r.host != earlier.host {
		passed += r.host.Time(0).Sub(earlier.host.Time(0))
	}
	return passed
}

// Axis is a common time for several loops that share something. It relates their clocks by [tool.Host.Time]. The zero Axis is
// ready for use. Its owner guards it with a lock.
type Axis struct {
	host   *tool.Host    // the host of the Reading that At was given last; nil before the first call
	offset time.Duration // between the clock of host and the axis
	origin time.Time     // the time when the clock of the first host was at zero
}

// At returns the time of r since an arbitrary start. The result may be below zero.
func (a *Axis) At(r Reading) time.Duration {
	if r.host != a.host {
		a.move(r.host)
	}
	return a.offset + r.at
}

// move makes the axis go by the clock of host. It calls no user code.
func (a *Axis) move(host *tool.Host) {
	start := host.Time(0)
	if a.host == nil {
		a.origin = start
	}
	a.host, a.offset = host, start.Sub(a.origin)
}

// Shared is an [Axis] whose time never goes back, whichever loop asks. Its owner guards it with a lock.
type Shared struct {
	axis Axis
	last time.Duration
}

// Latest returns the last result of Now, and zero before the first call.
func (c *Shared) Latest() time.Duration { return c.last }

// Now returns the time since an arbitrary start, by the clock of host. The result may be below zero, but not below the result
// before it. Now calls the clock, which may be user code, while the owner's lock is held.
func (c *Shared) Now(host *tool.Host) time.Duration {
	if c.axis.host == nil {
		c.last = math.MinInt64 // the first time may be below zero
	}
	c.last = max(c.last, c.axis.At(Read(host)))
	return c.last
}
