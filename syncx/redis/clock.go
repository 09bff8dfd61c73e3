package redis

import "time"

// clock is the monotonic clock of the process.
type clock struct{}

var started = time.Now()

func (clock) Now() time.Duration { return time.Since(started) }

func (clock) After(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}
