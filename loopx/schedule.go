package loopx

import (
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/step"
)

// Every runs body at once and then once in each period, by the clock of the run's loop, until a [Break], an error or a
// cancel. Body may be any step. Each iteration gets the input of the loop, and the result of the iteration is dropped. After
// a Break the input of the loop is also its result. A step.Var keeps a value from one iteration to the next. Iterations are
// due whole periods after the first one: their times don't drift, however long body takes. Iterations never overlap: a time
// that passes while body is still at work is left out.
//
//	plan := loopx.Every(time.Minute, step.Act(sweep))
//
// A loop that waits for its time takes no goroutine. Put a flow.Timeout around a body that may get stuck. Handle errors
// inside the body if the schedule must go on after them.
//
// Errors and cancellation are those of [Loop]. A period that isn't positive and a
// nil body are reported by flow.Plan.Err.
//
//spec:ftn12 §1.8, §2.2.4 loop
func Every[In, Out any](period time.Duration, body step.Step[In, Out]) flow.Plan[In, In] {
	p := timed("every", "Every: the body is nil", body, func(as step.Scope, d *due) (time.Duration, bool) {
		return d.every(period, usercode.HostOf(as.Loop()).Now()), true
	})
	p.Stage().Node().Tell(func() []plan.Parameter { return []plan.Parameter{plan.Set("period", period)} })
	if period <= 0 {
		p.Stage().Node().Reject("Every: the period must be positive, got " + period.String())
	}
	return p
}

// Schedule runs body at the times that the function next returns. next is given the time by the clock of the run's loop. It
// returns the time at which the next iteration is due. If that time has passed, the iteration begins at once. The zero time
// ends the loop. next is called at the beginning, and then whenever an iteration has ended, so iterations never overlap, and
// times that pass meanwhile are left out. If the clock was set back to before the due time of the previous iteration, and
// next doesn't return an earlier time, next is called again with that due time. So a clock that is set back by seconds makes
// no time due twice, and one that is set back by hours doesn't stop the loop for hours. next may be the method of a parsed
// cron expression, as of github.com/robfig/cron:
//
//	nightly, err := cron.ParseStandard("30 3 * * *")
//	plan := loopx.Schedule(nightly.Next, backup)
//
// next runs on the loop of the run and must not block; all runs of the plan share it. If it
// panics the loop fails with InternalError. Everything else is as for [Every]. A nil next is
// reported by flow.Plan.Err.
//
//spec:ftn12 §1.8, §2.2.4 loop
func Schedule[In, Out any](next func(after time.Time) time.Time, body step.Step[In, Out]) flow.Plan[In, In] {
	p := timed("schedule", "Schedule: the body is nil", body, func(as step.Scope, d *due) (time.Duration, bool) {
		h := usercode.HostOf(as.Loop())
		now := h.Time(h.Now())
		at := next(now)
		if d.at.After(now) && (at.IsZero() || !at.Before(d.at)) { // the wall clock was set back: no time is due twice
			at = next(d.at)
		}
		d.at = at
		return d.at.Sub(now), !d.at.IsZero()
	})
	if next == nil {
		p.Stage().Node().Reject("Schedule: the function is nil")
	}
	return p
}

type due struct {
	begun bool
	first time.Duration // when the first iteration was due, by the loop's clock
	last  time.Duration // when the last iteration was due, in periods since first

	at time.Time // for Schedule: when the last iteration was due
}

// every returns how long after now the next iteration is due. The first is due now, the others at
// multiples of the period after it.
func (d *due) every(period, now time.Duration) time.Duration {
	if !d.begun {
		d.begun, d.first = true, now
		return 0
	}
	n, rest := (now-d.first)/period, (now-d.first)%period
	if rest == 0 && n > d.last { // the next period begins right now
		d.last = n
		return 0
	}
	d.last = n + 1
	return period - rest
}

// clocked is the source of a timed loop. It carries the input of the loop.
type clocked[In any] struct{ due due }

// dated is the input of an iteration of a timed loop.
type dated[In any] struct {
	in    In
	due   *due // points to that of the source
	pause time.Duration
}

// Open implements op.Source.
func (c *clocked[In]) Open(in In) In {
	c.due = due{}
	return in
}

// Next implements op.Source.
func (c *clocked[In]) Next(in In, item *dated[In]) bool {
	*item = dated[In]{in: in, due: &c.due}
	return true
}

// timed makes a loop whose iterations begin with the pause that wait returns. The loop
// ends if wait returns false.
func timed[In, Out any](
	kind, missing string, body step.Step[In, Out], wait func(step.Scope, *due) (time.Duration, bool),
) flow.Plan[In, In] {
	look := step.New(func(as step.Scope, d dated[In]) step.Next[dated[In]] {
		pause, more := wait(as, d.due)
		if !more {
			return Break[dated[In]]()
		}
		d.pause = pause
		return step.Succeed(d)
	})
	rest := step.DelayBy(func(_ step.Scope, d dated[In]) time.Duration { return d.pause })
	begin := step.Map(func(d dated[In]) In { return d.in })
	all := flow.Then(look, flow.Then(rest, flow.Then(begin, flow.Tap(op.Given(body, missing)))))
	return build[clocked[In], In, dated[In]](kind, all, missing, clocked[In]{})
}
