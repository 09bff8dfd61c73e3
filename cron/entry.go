package cron

import (
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// errLeft is recorded as the error of a round that was left before its end.
var errLeft = fault.New(fault.Cancelled, "the round was cancelled, or a later one has taken its place")

type entry struct {
	table *Table
	job   Job
	next  func(after time.Time) time.Time // the calendar of job; nil if it has none

	// The loop of the run owns these.
	last   time.Time // the latest time that was dealt with; the next round is due after it
	at     time.Time // what Next returned when schedule was last called; zero for none
	due    time.Time // at plus the jitter
	err    error     // the error of the latest round; nil if it hasn't failed
	passed bool      // due had passed when Resume was called, and is left out
	onTime bool      // the time due had come when look was last called, and counts

	loop  tool.Tool // the loop of the timer; nil if the branch waits for none
	timer tool.Handle

	// Table.mu guards these. The loop alone changes state, but for Paused, so it reads the rest of it without mu.
	state   State
	ended   bool                 // the job begins no round any more in this run
	asked   bool                 // RunNow was called, and its round hasn't begun
	resumed bool                 // Resume was called, and the branch hasn't looked since
	wake    step.Done[step.Unit] // completes the wait of the branch, if it waits
}

// plan returns the branch of the job, which waits until a round is due, does it, and begins anew. bad is the
// reason why the job is invalid, "" if it is valid.
func (e *entry) plan(bad string) step.Step[step.Unit, step.Unit] {
	if bad != "" {
		return flow.Of(op.Missing[step.Unit, step.Unit]("cron: " + bad))
	}
	first := step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) {
		e.last = as.Now()
		return u, e.schedule(as, e.last)
	})
	begin := step.New(func(as step.Scope, u step.Unit) step.Next[step.Unit] {
		now := as.Now()
		switch begins, ends := e.look(now); {
		case ends:
			return loopx.Break[step.Unit]()
		case !begins: // the job is paused or was resumed, or the clock was set back
			return loopx.Continue[step.Unit]()
		}
		if err := e.begin(as, now); err != nil {
			return step.Fail[step.Unit](err)
		}
		return step.Succeed(u)
	})
	last := step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) {
		e.end(as) // a break in the work may have ended the loop
		return u, nil
	})
	rounds := loopx.Loop(flow.Then(e.rest(), flow.Then(begin, e.round())))
	return flow.Then(first, flow.Then(flow.OnCancel(rounds, e.end), last))
}

// round returns the plan of a round, which sets err if it fails.
func (e *entry) round() step.Step[step.Unit, step.Unit] {
	work := flow.Of(e.job.Work)
	if e.job.Limit > 0 {
		work = flow.Timeout(e.job.Limit, work)
	}
	failed := func(_ step.Scope, err error) step.Next[step.Unit] {
		e.err = err
		return step.Succeed(step.Unit{})
	}
	all := flow.Catch(flow.Named(e.job.Name, work), failed)
	if e.job.Overlap == Replace {
		return flow.Race(flow.OnCancel(all, e.left), e.replaced())
	}
	return all
}

// left stops the timer and, if a round is at work, records that it was left.
func (e *entry) left(as step.Scope) {
	e.disarm()
	if !e.state.Running.IsZero() {
		e.note(as.Now(), errLeft)
	}
}

// end ends the job, while other ones may still be at work.
func (e *entry) end(as step.Scope) {
	e.left(as)
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	e.state.Next, e.ended = time.Time{}, true
}

// rest returns the step that ends the round before, if there was one, and waits until the next one is due, or
// until Stop, RunNow or Resume is called.
func (e *entry) rest() step.Step[step.Unit, step.Unit] {
	pause := e.pause()
	return step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		now := as.Now()
		if !e.state.Running.IsZero() {
			if err := e.complete(as, now); err != nil {
				return step.Fail[step.Unit](err)
			}
		}
		return pause(as, now)
	})
}

// replaced returns the plan that ends when the next round replaces the one at work.
func (e *entry) replaced() step.Step[step.Unit, step.Unit] {
	pause := e.pause()
	never := step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] { return step.Wait[step.Unit](as, nil) })
	return loopx.Loop(step.New(func(as step.Scope, u step.Unit) step.Next[step.Unit] {
		now := as.Now()
		switch begins, ends := e.look(now); {
		case ends:
			return step.Into(as, never, u) // the round at work may end
		case begins:
			return loopx.Break[step.Unit]()
		default:
			return pause(as, now)
		}
	}))
}

// pause returns a function that makes its step wait until the next round is due, or until Stop, RunNow or Resume is
// called.
func (e *entry) pause() func(as step.Scope, now time.Time) step.Next[step.Unit] {
	due, listen := e.fire, e.listen
	return func(as step.Scope, now time.Time) step.Next[step.Unit] {
		e.disarm() // the timer of replaced, which was left
		if e.last.Round(0).After(now) || e.passed {
			if err := e.schedule(as, now); err != nil {
				return step.Fail[step.Unit](err)
			}
		}
		if !e.due.IsZero() && !e.paused() {
			loop := as.Loop()
			timer, err := loop.Deferred(max(0, e.due.Sub(now)), due)
			if err != nil {
				return step.Fail[step.Unit](err)
			}
			e.loop, e.timer = loop, timer
		}
		return step.Wait(as, listen)
	}
}

func (e *entry) fire() {
	e.loop = nil
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	e.rouse()
}

func (e *entry) disarm() {
	if e.loop != nil {
		e.loop.Cancel(e.timer)
		e.loop = nil
	}
}

// listen keeps done for rouse. If Stop, RunNow or Resume was called before, it completes the wait.
func (e *entry) listen(done step.Done[step.Unit]) {
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	e.wake = done
	if e.table.stopped || e.asked || e.resumed {
		e.rouse()
	}
}

// rouse completes the wait of the branch, if it waits; Table.mu is held.
func (e *entry) rouse() { e.wake.Succeed(step.Unit{}) }

// look reports whether a round begins now, and whether the job ends.
func (e *entry) look(now time.Time) (begins, ends bool) {
	e.disarm() // RunNow or Stop may have come before the timer
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	if e.resumed && !e.state.Paused {
		e.resumed = false
		e.passed = e.leavesOut() && e.hasCome(now)
	}
	e.onTime = e.hasCome(now) && !e.state.Paused && !e.passed
	return e.asked || e.onTime, e.table.stopped
}

func (e *entry) paused() bool {
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	return e.state.Paused
}

// leavesOut reports whether times that come while no round can begin are left out.
func (e *entry) leavesOut() bool { return e.job.Overlap == Skip || e.job.Overlap == Replace }

// hasCome reports whether the time due has come.
func (e *entry) hasCome(now time.Time) bool { return !e.due.IsZero() && !now.Before(e.due) }

// after returns the time after which the next round is due. If the clock was set back, a time that was dealt with isn't due
// again, unless others come before it: otherwise the job would stand still until its clock is where it was.
func (e *entry) after(now time.Time) time.Time {
	last := e.last.Round(0) // without the monotonic clock, which isn't set back
	switch {
	case now.After(last):
		if e.leavesOut() {
			return now
		}
	case last.After(now):
		if again := e.next(now); !again.IsZero() && again.Before(last) {
			return now
		}
	}
	return last
}

// schedule sets the time of the next round.
func (e *entry) schedule(as step.Scope, now time.Time) error {
	e.passed = false
	after := e.after(now)
	e.at = e.next(after)
	e.due = e.at
	if !e.at.IsZero() {
		if !e.at.After(after) {
			return invalid(fmt.Sprintf("%s: Next of %v returned %v, which isn't later", e.job.Name, after, e.at))
		}
		if e.job.Jitter > 0 {
			e.due = e.at.Add(time.Duration(as.Loop().Host().Rand() % uint64(e.job.Jitter)))
		}
	}
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	e.state.Next = e.due
	return nil
}

// begin begins a round: the one that is due, otherwise the one that RunNow has asked for.
func (e *entry) begin(as step.Scope, now time.Time) error {
	e.err = nil
	if e.onTime {
		e.last = e.at
		if e.job.Overlap == Later && now.After(e.at) {
			e.last = now // this round stands for all times that have passed
		}
	}
	e.table.mu.Lock()
	e.asked = e.asked && e.onTime
	e.state.Running, e.state.Next = now, time.Time{}
	e.table.mu.Unlock()
	if e.job.Overlap == Replace {
		return e.schedule(as, now) // the next round may be due while this one is at work
	}
	return nil
}

// complete ends a round that was not left.
func (e *entry) complete(as step.Scope, now time.Time) error {
	e.note(now, e.err)
	if e.err != nil {
		as.Loop().Host().Report(fmt.Errorf("cron: job %s: %w", e.job.Name, e.err))
	}
	if e.job.Overlap == Replace {
		return nil // begin has set the time of the next round
	}
	return e.schedule(as, now)
}

func (e *entry) note(now time.Time, err error) {
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	s := &e.state
	s.Rounds++
	if err != nil {
		s.Failed++
	}
	s.Began, s.Ended, s.Err = s.Running, now, err
	s.Running = time.Time{}
}
