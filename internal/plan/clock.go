package plan

import (
	"math"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// Axis is a common time for several loops that share something: it relates their clocks by
// [tool.Host.Time]. The zero Axis is ready for use. Its owner guards it with a lock.
type Axis struct {
	host   *tool.Host    // the host of the last call; nil before the first
	offset time.Duration // between the clock of host and the axis
	origin time.Time     // the time when the clock of the first host was at zero
}

// Now returns the time since an arbitrary start, by the clock of host: it may be below zero.
func (a *Axis) Now(host *tool.Host) time.Duration {
	if host != a.host {
		start := host.Time(0)
		if a.host == nil {
			a.origin = start
		}
		a.host, a.offset = host, start.Sub(a.origin)
	}
	return a.offset + host.Now()
}

// Clock is an [Axis] whose time never goes back, whichever loop asks.
type Clock struct {
	axis Axis
	last time.Duration
}

// Now returns the time since an arbitrary start, by the clock of host: it may be below
// zero. It never goes back.
func (c *Clock) Now(host *tool.Host) time.Duration {
	if c.axis.host == nil {
		c.last = math.MinInt64 // a host may be older than the time of a synctest bubble
	}
	c.last = max(c.last, c.axis.Now(host))
	return c.last
}
