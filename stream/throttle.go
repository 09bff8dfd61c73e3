package stream

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// Throttle lets up to n elements pass in each period; the others wait, and so does their source. The
// first period begins with the first element, and each further one with the first element after the end of
// the period before. A number below 1 and a period that isn't positive are reported by flow.Plan.Err.
//
// For a limit that several streams share, or for a limit on the work of steps, put a guard of syncx around
// the steps of [Through].
//
//spec:ftn12 §1.11
func Throttle[In, T any](s Stream[In, T], n int, period time.Duration) Stream[In, T] {
	bad := atLeast(1, n, "the number")
	if period <= 0 {
		bad = first(bad, "the period must be positive, got "+period.String())
	}
	return after("throttle", s, bad, func(e env, up inlet[T]) inlet[T] {
		return &throttled[T]{inlet: up, p: e.p, n: n, period: period}
	}).with(func() []plan.Parameter { return []plan.Parameter{plan.Set("number", n), plan.Set("period", period)} })
}

type throttled[T any] struct {
	inlet[T]

	p      *pipe
	n      int
	period time.Duration

	left  int           // how many more elements may pass in this period
	end   time.Duration // when the period ends, by the clock of the loop
	alarm alarm
}

func (t *throttled[T]) poll(room int) ([]T, error) {
	now := usercode.HostOf(t.p.loop).Now()
	if now >= t.end {
		t.left = t.n
		t.alarm.stop()
	}
	if t.left == 0 {
		if t.alarm.due { // the timer has fired although the clock says that the period isn't over
			t.alarm.stop()
		}
		if err := t.alarm.start(t.p, t.end-now); err != nil {
			return nil, err
		}
		return nil, errIdle
	}
	chunk, err := t.inlet.poll(min(room, t.left))
	if len(chunk) > 0 && t.left == t.n {
		t.end = later(now, t.period)
	}
	t.left -= len(chunk)
	return chunk, err
}

func (t *throttled[T]) close(why error) {
	t.alarm.stop()
	t.inlet.close(why)
}
