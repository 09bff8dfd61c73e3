package cron_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/tool"
)

// setBack sets the wall clock back, and not that of the timers.
func (c *clock) setBack(d time.Duration) { tool.WithStart(start.Add(-d))(c.Host()) }

// The rounds go on when the clock was set back. If that was by less than a period, none is done twice.
func TestClockIsSetBack(t *testing.T) {
	const hour, ten = time.Hour, 10 * time.Second
	for _, overlap := range []cron.Overlap{cron.Skip, cron.Later, cron.Each, cron.Replace} {
		for _, c := range []struct {
			name  string
			takes time.Duration
			at    time.Duration // after the start
			by    time.Duration
			want  string
		}{
			{"before the first round", time.Second, ten, hour + ten, "-3600 begin, -3599 end, -3540 begin, -3539 end"},
			{"between two rounds", time.Second, 40 * time.Second, hour + ten, "0 begin, 1 end, -3540 begin, -3539 end"},
			{"in a round", 20 * time.Second, 40 * time.Second, hour + ten, "0 begin, -3590 end, -3540 begin, -3520 end"},
			{"by less than a period", time.Second, 30 * time.Second, ten, "0 begin, 1 end, 60 begin, 61 end"},
		} {
			t.Run(fmt.Sprint(c.name, " ", overlap), func(t *testing.T) {
				k := newClock()
				run := k.run(t, minutely(k, c.takes, overlap))
				k.Advance(c.at)
				k.setBack(c.by)
				k.Advance(125*time.Second - c.at)
				living(t, run)
				want(t, k, c.want)
			})
		}
	}
}
