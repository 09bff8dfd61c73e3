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

// A time that has come, and waits for its round, comes again if the clock is set back to before it.
func TestClockIsSetBackWhileATimeWaits(t *testing.T) {
	for name, c := range map[string]struct {
		pause bool
		takes time.Duration
		want  string
	}{
		"in a round":   {false, 80 * time.Second, "0 begin, 50 end, 60 begin"},
		"while paused": {true, time.Second, "0 begin, 1 end, 60 begin, 61 end"},
	} {
		for _, again := range []bool{false, true} { // with a Set meanwhile
			k := newClock()
			table := minutely(k, c.takes, cron.Each)
			run := k.run(t, table)
			k.Advance(30 * time.Second)
			if c.pause {
				_ = table.Pause("job")
			}
			k.Advance(65 * time.Second)
			k.setBack(30 * time.Second)
			if again {
				j := k.job("job", c.takes, cron.Each)
				j.Work = k.work(c.takes)
				set(t, table, j)
				k.Advance(0)
			}
			_ = table.Resume("job")
			k.Advance(30 * time.Second)
			living(t, run)
			if want(t, k, c.want); t.Failed() {
				t.Log(name, again)
			}
			run.Cancel(nil)
			k.Run()
		}
	}
}
