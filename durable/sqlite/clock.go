package sqlite

import (
	"sync"
	"time"
)

// clock is the time of the engine. It doesn't go back while the program runs, and after a restart it begins no earlier than the last
// event. When the system's clock is set back, the clock continues by the monotonic one. When the system's clock is set forward, or
// the system has been asleep, the clock follows.
type clock struct {
	wall func() time.Time // the system's clock; its times have a monotonic reading, as those of time.Now

	mu   sync.Mutex
	read time.Time // what wall returned when at was set
	at   time.Time
}

func newClock(wall func() time.Time, last time.Time) *clock {
	now := wall()
	c := &clock{wall: wall, read: now, at: now.Round(0)}
	if last.After(c.at) {
		c.at = last
	}
	return c
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.wall()
	c.at = c.at.Add(max(now.Sub(c.read), 0)) // by the monotonic clock
	c.read = now
	if w := now.Round(0); w.After(c.at) {
		c.at = w
	}
	return c.at
}
