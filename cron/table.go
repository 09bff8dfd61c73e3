package cron

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var (
	// ErrNoJob is the error of [Table.RunNow], [Table.Pause] and [Table.Resume] for a job that the table doesn't have.
	ErrNoJob = invalid("the table has no such job")
	// ErrNotRunning is the error of [Table.RunNow] when no run of the table is under way, [Table.Stop] was called, or the job
	// has ended: its run was cancelled, or its work has left the loop by a break.
	ErrNotRunning = invalid("no run of the table begins rounds")
)

// Table is a list of jobs, and their execution by a run of [Table.Plan]. Its methods may be called
// from any goroutine. It must not be copied.
type Table struct {
	entries []*entry // in the order of New; unchanged after that
	plan    flow.Plan[step.Unit, step.Unit]

	mu      sync.Mutex
	live    bool // a run of the plan is under way
	stopped bool // Stop was called
}

// New makes a table of jobs. What is wrong with a job is reported by flow.Plan.Err of the plan.
func New(jobs ...Job) *Table {
	t := &Table{}
	branches := make([]step.Step[step.Unit, step.Unit], len(jobs))
	names := make(map[string]bool)
	for i, j := range jobs {
		e := &entry{table: t, job: j, next: j.next(), state: State{Name: j.Name, Spec: j.spec()}}
		bad := j.bad()
		if names[j.Name] {
			bad = "it is not the only job of its name"
		}
		if bad != "" {
			bad = "job " + strconv.Itoa(i) + ", " + strconv.Quote(j.Name) + ": " + bad
		}
		names[j.Name] = true
		t.entries = append(t.entries, e)
		branches[i] = e.plan(bad)
	}
	enter := step.Func(func(_ step.Scope, u step.Unit) (step.Unit, error) { return u, t.enter() })
	all := flow.Then(flow.Par(branches...), flow.Value[[]step.Unit](step.Unit{}))
	leave := step.Map(func(flow.Ended[step.Unit, step.Unit]) step.Unit { t.leave(); return step.Unit{} })
	t.plan = flow.Bracket(enter, all, leave)
	return t
}

// Plan returns the plan of the table. Its run does the jobs until [Table.Stop] was called and no round
// is at work, or until the work of each job has left its loop by a break. Each job is a branch, so bodies
// of step.Await of different jobs run side by side. At most one run of it may live at a time: another one
// fails with fault.InvalidRequest. A run of a table that was stopped, or has no jobs, ends at once.
//
// Errors: a round that fails doesn't fail the run. Its error is reported to the error handler of
// the run's loop, and is in [Table.List]; the next round comes at its time.
//
// Cancellation: ends the run and the rounds that are at work, as for any plan. To let the rounds end,
// call Stop, and cancel when your patience is over.
//
//spec:ftn12 §1.4, §1.8
func (t *Table) Plan() flow.Plan[step.Unit, step.Unit] { return t.plan }

func (t *Table) enter() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live {
		return invalid("a run of this table is under way")
	}
	t.live = true
	return nil
}

func (t *Table) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.live = false
	for _, e := range t.entries {
		e.state.Next, e.state.Running, e.asked = time.Time{}, time.Time{}, false
		e.ended, e.resumed = false, false
	}
}

// Stop ends the table: no round begins any more, and the run of its plan ends when the rounds at work have
// ended. Stop doesn't wait for them. It may be called again.
func (t *Table) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	for _, e := range t.entries {
		e.rouse()
	}
}

// RunNow asks for a round of the named job outside of its times: at once or, while a round is at work,
// right after that one; with Replace in its place. Further calls before the round has begun ask for the
// same one. The errors are [ErrNoJob], if the table has no job with the name, and [ErrNotRunning]; both
// have the code fault.InvalidRequest. Right after flow.Start RunNow may fail, because a run is under way
// once its loop has begun it.
func (t *Table) RunNow(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, err := t.job(name)
	switch {
	case err != nil:
		return err
	case !t.live || t.stopped || e.ended:
		return fmt.Errorf("%w: %s", ErrNotRunning, name)
	}
	e.asked = true
	e.rouse()
	return nil
}

// job returns the entry of the named job; mu is held.
func (t *Table) job(name string) (*entry, error) {
	i := slices.IndexFunc(t.entries, func(e *entry) bool { return e.job.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoJob, name)
	}
	return t.entries[i], nil
}

// Pause keeps the named job from beginning rounds at its times, in this run of the table and in later ones, until
// [Table.Resume] is called. A round at work goes on, and RunNow does rounds as ever. Pause may be called again. The error
// is [ErrNoJob], if the table has no job with the name.
func (t *Table) Pause(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, err := t.job(name)
	if err != nil {
		return err
	}
	e.state.Paused = true
	return nil
}

// Resume ends what [Table.Pause] has begun. Times that have passed meanwhile in a run of the table are dealt with as if a
// round had been at work: Overlap says how. Resume does nothing if the job isn't paused. The error is [ErrNoJob], if the
// table has no job with the name.
func (t *Table) Resume(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, err := t.job(name)
	if err != nil || !e.state.Paused {
		return err
	}
	e.state.Paused = false
	e.resumed = t.live
	e.rouse()
	return nil
}

// List returns the states of all jobs, in the order of [New].
func (t *Table) List() []State {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]State, len(t.entries))
	for i, e := range t.entries {
		all[i] = e.state
		if e.state.Paused {
			all[i].Next = time.Time{}
		}
	}
	return all
}
