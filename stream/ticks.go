package stream

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// Ticks is a source that gives the time every period, by the clock of the run's loop, beginning
// one period after the start. If the stages behind are slow, ticks are left out and don't pile up. It never ends by
// itself: see [Take], [Zip] and flow.Timeout. A period that isn't positive is reported by flow.Plan.Err.
func Ticks[In any](period time.Duration) Stream[In, time.Time] {
	bad := ""
	if period <= 0 {
		bad = "the period must be positive, got " + period.String()
	}
	return from("ticks", bad, func(e env, _ In) inlet[time.Time] {
		return &ticker{env: e, period: period, next: later(usercode.HostOf(e.p.loop).Now(), period)}
	}).with(func() []plan.Parameter { return []plan.Parameter{plan.Set("period", period)} })
}

type ticker struct {
	env

	period time.Duration
	next   time.Duration // when the next tick is due, by the loop's clock
	alarm  alarm
	one    [1]time.Time
}

func (t *ticker) poll(int) ([]time.Time, error) {
	host := usercode.HostOf(t.p.loop)
	now := host.Now()
	if now < t.next {
		if t.alarm.due {
			t.alarm.stop()
		}
		if err := t.alarm.start(t.p, t.next-now); err != nil {
			return nil, err
		}
		return nil, errIdle
	}
	t.alarm.stop()
	t.next = later(now, t.period-(now-t.next)%t.period)
	t.one[0] = host.Time(now)
	t.taken(1)
	return t.one[:], nil
}

func (t *ticker) close(error) { t.alarm.stop() }
