package cron

import (
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// errLeft is recorded as the error of a round that was at work when its branch was cancelled, or left by a break.
var errLeft = fault.New(fault.Cancelled, "the round was cancelled, or left by a break")

// edition is a job as New or Set was given it. It doesn't change any more once its entry is set.
type edition struct {
	Job

	of    *entry                          // the entry of the job; set with Table.mu held, before a round begins
	next  func(after time.Time) time.Time // the calendar of the job; nil if it has none
	round step.Step[step.Unit, step.Unit] // a round, which sets entry.err if it fails
	again flow.Plan[step.Unit, step.Unit] // round and a loopx.Continue, for a branch that was made for another edition
}

func newEdition(j Job) *edition {
	v := &edition{Job: j, next: j.next()}
	if j.Work == nil {
		return v // the plan of the table isn't well formed
	}
	v.round = v.plan()
	v.again = flow.Then(v.round, step.New(func(step.Scope, step.Unit) step.Next[step.Unit] { return loopx.Continue[step.Unit]() }))
	return v
}

// give makes v the job of e; Table.mu is held.
func (e *entry) give(v *edition) { v.of, e.given = e, v }

// plan returns the branch of the job. It has the steps of a round of v as a part, so that pictures show them; it enters rounds of
// other editions by step.Into. v may be nil. bad says why the job is invalid; it is "" if the job is valid.
func (e *entry) plan(v *edition, bad string) step.Step[step.Unit, step.Unit] {
	if bad != "" {
		return flow.Of(op.Missing[step.Unit, step.Unit]("cron: " + bad))
	}
	first := step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) { return u, e.start(as.Loop()) })
	begin := flow.Then(e.rest(), step.New(func(as step.Scope, u step.Unit) step.Next[step.Unit] {
		switch begins, ends, err := e.look(as.Now()); {
		case err != nil:
			return step.Fail[step.Unit](err)
		case ends:
			return loopx.Break[step.Unit]()
		case !begins: // such as after Pause, Resume or Set, or when the clock was set back
			return loopx.Continue[step.Unit]()
		case e.job != v:
			return step.Into(as, e.job.again, u)
		}
		return step.Succeed(u)
	}))
	if v != nil {
		begin = flow.Then(begin, v.round)
	}
	last := step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) {
		e.end(as) // a break in the work may have ended the loop
		e.renew()
		return u, nil
	})
	return flow.Then(first, flow.Then(flow.OnCancel(loopx.Loop(begin), e.end), last))
}

// plan returns a round of the job.
func (v *edition) plan() step.Step[step.Unit, step.Unit] {
	work := flow.Of(v.Work)
	if v.Limit > 0 {
		work = flow.Timeout(v.Limit, work)
	}
	failed := func(_ step.Scope, err error) step.Next[step.Unit] {
		v.of.err = err
		return step.Succeed(step.Unit{})
	}
	all := flow.Catch(flow.Named(v.Name, work), failed)
	if v.Overlap == Replace {
		work := flow.OnCancel(all, func(step.Scope) { v.of.left = true })
		first := func(op.Results) (u step.Unit) { return u }
		return op.Race[step.Unit]("race", op.Terms{Wins: 1, Lost: ErrReplaced}, []*plan.Node{plan.StageOf(work).Node(), plan.StageOf(v.replaced()).Node()}, first)
	}
	return all
}

// end ends the branch of e. Branches of other jobs may go on.
func (e *entry) end(as step.Scope) {
	if e.atWork() {
		e.note(as.Now(), errLeft)
	}
	e.disarm()
	e.loop = nil
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	e.ends()
}

// rest returns the step between two rounds. It records the end of the previous round, if there was one, and waits until the branch
// has something to do: a round is due or asked for, the job was resumed or removed, the table was stopped, or Next has failed.
func (e *entry) rest() step.Step[step.Unit, step.Unit] {
	listen := e.listen
	return step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		now := as.Now()
		if e.atWork() {
			if err := e.complete(now); err != nil {
				return step.Fail[step.Unit](err)
			}
		}
		if err := e.await(now); err != nil {
			return step.Fail[step.Unit](err)
		}
		return step.Wait(as, listen)
	})
}

// replaced returns the step that ends when the next round replaces the one at work.
func (v *edition) replaced() step.Step[step.Unit, step.Unit] {
	listen := func(done step.Done[step.Unit]) {
		e := v.of
		e.table.mu.Lock()
		defer e.table.mu.Unlock()
		e.wake = done
		if e.asked || e.isDue(e.now()) && !e.state.Paused {
			e.rouse()
		}
	}
	return step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] { return step.Wait(as, listen) })
}

// listen keeps done for rouse. If the branch has something to do already, it completes the wait.
func (e *entry) listen(done step.Done[step.Unit]) {
	e.table.mu.Lock()
	defer e.table.mu.Unlock()
	e.wake = done
	if e.table.stopped || e.gone || e.asked || e.broken != nil || e.isDue(e.now()) && !e.state.Paused {
		e.rouse()
	}
}

// complete records the end of a round after which the branch goes on. A round with e.left has been replaced, or has ended itself
// by a loopx.Continue.
func (e *entry) complete(now time.Time) error {
	var err error
	if e.overlap == Skip && e.hasCome(now) {
		e.table.mu.Lock()
		paused := e.state.Paused
		e.table.mu.Unlock()
		err = e.pass(now, !paused)
	}
	ended := e.err
	if e.left && ended == nil && e.wasRoused() {
		ended = ErrReplaced
	}
	e.note(now, ended)
	if e.err != nil {
		e.loop.Host().Report(fmt.Errorf("cron: job %s: %w", e.state.Name, e.err))
	}
	e.overlap = e.job.Overlap
	return err
}

// note records the end of a round.
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
