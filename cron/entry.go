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

// entry is a job of a table.
type entry struct {
	table *Table
	job   Job

	// The loop of the run owns these.
	last time.Time // the latest time that is dealt with; the next round is one after it
	at   time.Time // the result of Next for the next round, zero if there is none
	due  time.Time // at plus the jitter

	loop  tool.Tool // the loop of the timer; nil if the branch waits for none
	timer tool.Handle

	// Table.mu guards these.
	state State
	asked bool                 // RunNow was called, and its round hasn't begun
	wake  step.Done[step.Unit] // completes the wait of the branch, if it waits
}

// plan returns the branch of the job: it waits until a round is due, does it, and begins anew. bad tells what is wrong with
// the job, "" if nothing is.
func (e *entry) plan(bad string) step.Step[step.Unit, step.Unit] {
	if bad != "" {
		return flow.Of(op.Missing[step.Unit, step.Unit]("cron: " + bad))
	}
	round, pause := e.round(), e.pause()
	turn := step.New(func(as step.Scope, u step.Unit) step.Next[step.Unit] {
		switch begins, ends := e.look(as); {
		case ends:
			return loopx.Break[step.Unit]()
		case begins:
			return step.Into(as, round, u)
		default:
			return step.Into(as, pause, u)
		}
	})
	first := step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) {
		e.last = as.Now()
		return u, e.schedule(as)
	})
	return flow.Then(first, loopx.Loop(turn))
}

// round returns the plan of a round.
func (e *entry) round() step.Step[step.Unit, step.Unit] {
	work := flow.Of(e.job.Work)
	if e.job.Limit > 0 {
		work = flow.Timeout(e.job.Limit, work)
	}
	begin := step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) { return u, e.begin(as) })
	left := func(as step.Scope) { e.note(as, errLeft) }
	end := step.Func(func(as step.Scope, how flow.Result[step.Unit]) (step.Unit, error) {
		return how.Value, e.end(as, how.Err)
	})
	all := flow.Then(begin, flow.Then(flow.OnCancel(flow.Try(flow.Named(e.job.Name, work)), left), end))
	if e.job.Overlap == Replace {
		return flow.Race(all, e.replaced())
	}
	return all
}

// replaced returns the plan that ends when another round is to take the place of the one at work.
func (e *entry) replaced() step.Step[step.Unit, step.Unit] {
	pause := e.pause()
	never := step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] { return step.Wait[step.Unit](as, nil) })
	return loopx.Loop(step.New(func(as step.Scope, u step.Unit) step.Next[step.Unit] {
		switch begins, ends := e.look(as); {
		case ends:
			return step.Into(as, never, u) // the round at work may end
		case begins:
			return loopx.Break[step.Unit]()
		default:
			return step.Into(as, pause, u)
		}
	}))
}

// pause returns the step that waits until the next round is due, or until Stop or RunNow is called. The timer isn't a step of
// its own: a race of two would cost more than the rest of a round.
func (e *entry) pause() step.Step[step.Unit, step.Unit] {
	due, leave := e.fire, e.disarm
	return step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		if !e.due.IsZero() {
			loop := as.Loop()
			timer, err := loop.Deferred(max(0, e.due.Sub(as.Now())), due)
			if err != nil {
				return step.Fail[step.Unit](err)
			}
			e.loop, e.timer = loop, timer
			as.SetCancel(leave)
		}
		return step.Wait(as, e.listen)
	})
}

// fire is the callback of the timer.
func (e *entry) fire() {
	e.loop = nil
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	e.rouse()
}

// disarm takes the timer back, if there is one.
func (e *entry) disarm() {
	if e.loop != nil {
		e.loop.Cancel(e.timer)
		e.loop = nil
	}
}

// listen keeps done for rouse. If Stop or RunNow was called before, it completes the wait at once.
func (e *entry) listen(done step.Done[step.Unit]) {
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	e.wake = done
	if e.table.stopped || e.asked {
		e.rouse()
	}
}

// rouse completes the wait of the branch, if it waits. Table.mu is held.
func (e *entry) rouse() { e.wake.Succeed(step.Unit{}) }

// look reports whether a round begins now, and whether the job ends.
func (e *entry) look(as step.Scope) (begins, ends bool) {
	e.disarm() // RunNow or Stop was faster
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	return e.asked || e.isDue(as), e.table.stopped
}

func (e *entry) isDue(as step.Scope) bool { return !e.due.IsZero() && !as.Now().Before(e.due) }

// schedule asks when the next round is due.
func (e *entry) schedule(as step.Scope) error {
	after := e.last
	if now := as.Now(); (e.job.Overlap == Skip || e.job.Overlap == Replace) && now.After(after) {
		after = now
	}
	e.at = e.job.next()(after)
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
func (e *entry) begin(as step.Scope) error {
	now := as.Now()
	due := e.isDue(as)
	if due {
		e.last = e.at
		if e.job.Overlap == Later && now.After(e.at) {
			e.last = now // this round stands for all times that have passed
		}
	}
	e.table.mu.Lock()
	e.asked = e.asked && due
	e.state.Running, e.state.Next = now, time.Time{}
	e.table.mu.Unlock()
	if e.job.Overlap == Replace {
		return e.schedule(as) // the next round may be due while this one is at work
	}
	return nil
}

// end ends a round that was not left: an error is reported, and the next round is found.
func (e *entry) end(as step.Scope, err error) error {
	e.note(as, err)
	if err != nil {
		as.Loop().Host().Report(fmt.Errorf("cron: job %s: %w", e.job.Name, err))
	}
	if e.job.Overlap == Replace {
		return nil // begin has found it
	}
	return e.schedule(as)
}

// note records the end of a round.
func (e *entry) note(as step.Scope, err error) {
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	s := &e.state
	s.Rounds++
	if err != nil {
		s.Failed++
	}
	s.Began, s.Ended, s.Err = s.Running, as.Now(), err
	s.Running = time.Time{}
}
