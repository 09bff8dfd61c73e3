package plan

import (
	"math"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// Clock is one time for what several loops share. It goes by the clock of the loop
// that asks; the clocks of two loops are as far apart as [tool.Host.Time] says. The
// zero Clock is ready for use. Its owner guards it with a lock.
type Clock struct {
	host   *tool.Host    // that was asked last; nil before the first
	offset time.Duration // between the clock of host and this one
	origin time.Time     // when the clock of the first host was at zero
	last   time.Duration
}

// Now returns the time since an arbitrary start, by the clock of host: it may be below
// zero. It never goes back.
func (c *Clock) Now(host *tool.Host) time.Duration {
	if host != c.host {
		start := host.Time(0)
		if c.host == nil {
			c.origin, c.last = start, math.MinInt64 // a host may be older than the time of a synctest bubble
		}
		c.host, c.offset = host, start.Sub(c.origin)
	}
	c.last = max(c.last, c.offset+host.Now())
	return c.last
}
