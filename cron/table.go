package cron

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

var (
	// ErrNoJob is the error of [Table.RunNow], [Table.Pause] and [Table.Resume] for a job that the table doesn't have.
	ErrNoJob = invalid("the table has no such job")
	// ErrNotRunning is the error of [Table.RunNow] when no run of the table is under way, [Table.Stop] was called, the run was
	// cancelled or has no job left, or the work of the job has left its loop by a break.
	ErrNotRunning = invalid("no run of the table begins rounds")
	// ErrAtWork is the error of [Table.RunNow] for a job with [Skip] while one of its rounds is at work. A round stays at work, as
	// State.Running of [Table.List] shows, until the loop has recorded its end, a moment after its Work has returned.
	ErrAtWork = invalid("a round of the job is at work")
	// ErrReplaced is the State.Err of a round whose place another round has taken, because of [Replace]. It is also the cause with
	// which the context of the replaced round ends. Its code is fault.Cancelled, which a round that was cancelled has too.
	ErrReplaced error = fault.New(fault.Cancelled, "cron: a later round has taken its place")
)

// Table is a list of jobs, and their execution by a run of [Table.Plan]. Its methods may be called
// from any goroutine, before, during and after the run. It must not be copied.
type Table struct {
	mu      sync.Mutex
	plan    flow.Plan[step.Unit, step.Unit]
	edits   int       // counts the calls of Set
	built   int       // edits when plan was built
	entries []*entry  // in the order of New or Set
	leaving []*entry  // jobs that Set has removed, and whose round is at work
	loop    tool.Tool // the loop of the run that is under way; nil if there is none
	run     int       // counts the runs
	closed  bool      // the run begins no job any more, because its hall has ended
	stopped bool      // Stop was called

	changed bool                 // the hall has something to do
	wake    step.Done[step.Unit] // completes the wait of the hall, if it waits
}

// New makes a table of jobs. What is wrong with a job is reported by flow.Plan.Err of the plan. [Table.Set] changes the
// jobs later.
func New(jobs ...Job) *Table {
	t, given := &Table{}, editions(jobs)
	t.change(given)
	t.plan = t.build(given, faults(jobs))
	return t
}

// Plan returns the plan of the table. Its run does the jobs until [Table.Stop] was called and no round
// is at work, or until the work of each job has left its loop by a break. A table without jobs waits for [Table.Set].
// Each job is a branch, so bodies of step.Await of different jobs run side by side. Pictures of the plan show the jobs
// that the table had when Plan was called; its run does those that the table has. At most one run of a table may live at
// a time: another one fails with fault.InvalidRequest. A run of a table that was stopped ends at once.
//
// Errors: a round that fails doesn't fail the run. Its error is reported to the error handler of
// the run's loop, and is in [Table.List]; the next round comes at its time.
//
// Cancellation: ends the run and the rounds that are at work, as for any plan. To let the rounds end,
// call Stop, and cancel when your patience is over.
//
//spec:ftn12 §1.4, §1.8
func (t *Table) Plan() flow.Plan[step.Unit, step.Unit] {
	t.mu.Lock()
	plan, edits := t.plan, t.edits
	if t.built == edits {
		t.mu.Unlock()
		return plan
	}
	first := make([]*edition, len(t.entries))
	for i, e := range t.entries {
		first[i] = e.given
	}
	t.mu.Unlock()
	plan = t.build(first, make([]string, len(first)))
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.edits == edits { // otherwise Set was called meanwhile
		t.plan, t.built = plan, edits
	}
	return plan
}

// enter begins a run whose plan has a branch for each of the first jobs.
func (t *Table) enter(loop tool.Tool, first []*edition) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.loop != nil {
		return invalid("a run of this table is under way")
	}
	t.loop, t.run, t.closed = loop, t.run+1, false
	for _, v := range first {
		v.of.begun = true
	}
	return nil
}

// leave ends the run, on its loop.
func (t *Table) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := range t.all {
		e.disarm()
		e.loop = nil
		e.state.Next, e.state.Running, e.asked = time.Time{}, time.Time{}, false
		e.ended, e.begun = false, false
	}
	t.loop, t.leaving = nil, nil
}

// all yields the entries, also those of jobs that were removed; mu is held.
func (t *Table) all(yield func(*entry) bool) {
	for _, list := range [...][]*entry{t.entries, t.leaving} {
		for _, e := range list {
			if !yield(e) {
				return
			}
		}
	}
}

// Stop ends the table: no round begins any more, and the run of its plan ends when the rounds at work have
// ended. Stop doesn't wait for them. It may be called again.
func (t *Table) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	for e := range t.all {
		e.nudge()
	}
	t.rouse()
}

// RunNow asks for a round of the named job outside of its times: at once or, while a round is at work, as the Overlap of the job
// says. With [Skip] it asks for none and fails with [ErrAtWork]; with [Later] and [Each] the round comes right after the one at
// work; with [Replace] in its place. Further calls before the round has begun ask for the same one. A round that begins at its time
// is also the one that was asked for before, except with Each: there a time and a call that both come while a round is at work have
// a round each. The other errors are [ErrNoJob], if the table has no job with the name, and [ErrNotRunning]; all have the code
// fault.InvalidRequest. Right after flow.Start RunNow may fail, because a run isn't under way until its loop has begun it.
func (t *Table) RunNow(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, err := t.job(name)
	switch {
	case err != nil:
		return err
	case t.loop == nil || t.closed || t.stopped || e.ended:
		return fmt.Errorf("%w: %s", ErrNotRunning, name)
	case e.atWork() && e.given.Overlap == Skip:
		return fmt.Errorf("%w: %s", ErrAtWork, name)
	}
	e.asked = true
	e.rouse()
	return nil
}

// job returns the entry of the named job; mu is held.
func (t *Table) job(name string) (*entry, error) {
	i := slices.IndexFunc(t.entries, func(e *entry) bool { return e.state.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoJob, name)
	}
	return t.entries[i], nil
}

// Pause keeps the named job from beginning rounds at its times, in this run of the table and in later ones, until [Table.Resume] is
// called. A round at work goes on, and RunNow still begins rounds. Pause may be called again. The error is [ErrNoJob], if the table
// has no job with the name.
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

// Resume ends what [Table.Pause] has begun. Times that have passed meanwhile in a run of the table are dealt with as if a round had
// been at work: with Skip and Replace they are left out, with Later one round stands for all of them, and with Each they have their
// rounds now. If Set has changed the Overlap in the pause, times that were left out stay left out, and those that wait are dealt
// with by the new Overlap. Resume does nothing if the job isn't paused. The error is [ErrNoJob], if the table has no job with the
// name.
func (t *Table) Resume(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, err := t.job(name)
	if err != nil || !e.state.Paused {
		return err
	}
	e.state.Paused, e.drops = false, e.given.Overlap.leavesOut()
	e.nudge()
	return nil
}

// List returns the states of all jobs, in the order of [New] or [Table.Set]. Behind them are the jobs that Set has
// removed and whose last round is at work.
func (t *Table) List() []State {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]State, 0, len(t.entries)+len(t.leaving))
	for e := range t.all {
		s := e.state
		if s.Paused || t.stopped || e.gone {
			s.Next = time.Time{}
		}
		list = append(list, s)
	}
	return list
}
