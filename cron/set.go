package cron

import (
	"slices"
	"strconv"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// Set gives the table other jobs, such as those of a file that was read again. Jobs are told apart by their names. If an
// error is returned nothing has changed; the errors are those that the plan of [New] has for such jobs.
//
// If a run of the table is under way, it takes the jobs at once:
//   - A new job begins.
//   - A job that the table has keeps its counts, the result of its last round, and whether it is paused. Its times are those of the
//     new Job from now on; a Next that adds to the time that it is given goes on from the latest round. A round at work goes on
//     with the Work, the Limit and the Overlap with which it has begun, and the next one has the new values. Times that have come
//     already, and wait for that round, have one round for all of them. A time whose delay hasn't passed waits no longer than the
//     new Jitter. A job that has ended by a break begins again, even if it is the round at work that ends by a break.
//   - A job that isn't among the new ones begins no round. A round at work may end, and the job is in [Table.List] until then. If
//     the job is added again before that, it goes on as if it had never been removed; after that it is a new one.
//
// Without a run the jobs are those of the next one. The same holds if the run takes no more jobs, because it was cancelled or its
// last job has ended by a break: from then on [Table.RunNow] fails with [ErrNotRunning]. After [Table.Stop] no job begins a round.
//
// Concurrency: the plans of the rounds are built by the caller, which takes some ten microseconds for each job. If there are many
// jobs, the loop takes them in several turns, so that other work isn't held up.
func (t *Table) Set(jobs ...Job) error {
	bad := faults(jobs)
	if i := slices.IndexFunc(bad, func(b string) bool { return b != "" }); i >= 0 {
		return invalid(bad[i])
	}
	given := editions(jobs)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.change(given)
	t.edits++
	if t.loop != nil {
		t.adoptLater(slices.Clone(t.entries))
		t.rouse()
	}
	return nil
}

// faults returns for each job what is wrong with it, "" if nothing is.
func faults(jobs []Job) []string {
	all := make([]string, len(jobs))
	names := make(map[string]bool)
	for i, j := range jobs {
		bad := j.bad()
		if names[j.Name] {
			bad = "it is not the only job of its name"
		}
		names[j.Name] = true
		if bad != "" {
			all[i] = "job " + strconv.Itoa(i) + ", " + strconv.Quote(j.Name) + ": " + bad
		}
	}
	return all
}

// editions builds the rounds of jobs. Building many takes long, so mu must not be held: the loop may wait for it.
func editions(jobs []Job) []*edition {
	all := make([]*edition, len(jobs))
	for i, j := range jobs {
		all[i] = newEdition(j)
	}
	return all
}

// change gives the table the entries of the given jobs; mu is held.
func (t *Table) change(given []*edition) {
	known := make(map[string]*entry)
	before := slices.Collect(t.all)
	for _, e := range before {
		known[e.state.Name] = e
		e.gone = true
	}
	t.entries = make([]*entry, len(given))
	for i, v := range given {
		e := known[v.Name]
		switch {
		case e == nil:
			e = newEntry(t, State{Name: v.Name})
		case e.ended: // its branch may not have left yet
			e = newEntry(t, e.state)
		}
		e.gone = false
		e.give(v)
		e.state.Spec = v.spec()
		t.entries[i] = e
	}
	t.leaving = nil
	for _, e := range before {
		switch {
		case !e.gone:
		case e.state.Running.IsZero():
			e.rouse()
		default:
			t.leaving = append(t.leaving, e)
		}
	}
}

// renew begins the job of e again if a round that began before the latest Set has ended the branch by a break.
func (e *entry) renew() {
	t := e.table
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.entries, e)
	if i < 0 || t.stopped || e.given == e.latest {
		return
	}
	again := newEntry(t, e.state)
	again.give(newEdition(e.given.Job))
	again.asked = e.asked
	e.gone = true // if the plan of another run has a branch for e, that branch ends at once
	t.entries[i] = again
	t.rouse()
}

// turnful is the largest number of entries for which one callback of the loop calls adopt: each call may call Next.
const turnful = 100

// adoptLater makes the loop of the run that is under way call adopt for the entries in all; mu is held.
func (t *Table) adoptLater(all []*entry) {
	run := t.run
	now, rest := all[:min(turnful, len(all))], all[min(turnful, len(all)):]
	_, _ = t.loop.Immediate(func() { // a loop that refuses the callback is shut down, which ends the run
		t.mu.Lock()
		lives := t.loop != nil && t.run == run // another run may be on another loop
		if lives && len(rest) > 0 {
			t.adoptLater(rest)
		}
		t.mu.Unlock()
		if !lives {
			return
		}
		for _, e := range now {
			e.adopt()
		}
	})
}

// lanes are the branches of jobs that Set has given to a run, and the branch of the hall, which begins the others.
var lanes = flow.NewTasks[*entry, step.Unit]("cron")

// build returns the plan for the first jobs of a run. bad has for each job why it is invalid, "" if it is valid. Building many jobs
// takes long, so mu must not be held: the loop may wait for it.
func (t *Table) build(first []*edition, bad []string) flow.Plan[step.Unit, step.Unit] {
	branches := make([]step.Step[step.Unit, step.Unit], len(first), len(first)+1)
	for i, v := range first {
		branches[i] = v.of.plan(v, bad[i])
	}
	hall := t.hall()
	lane := step.New(func(as step.Scope, e *entry) step.Next[step.Unit] {
		if e == nil {
			return step.Into(as, hall, step.Unit{})
		}
		if e.lane == nil { // built here, and not in the hall, so that the run can yield between the plans of many jobs
			e.lane = e.plan(nil, "")
		}
		return step.Into(as, e.lane, step.Unit{})
	})
	drop := flow.Value[[]step.Unit](step.Unit{})
	branches = append(branches, flow.Then(flow.Value[step.Unit]([]*entry{nil}), flow.Then(lanes.All(-1, lane), drop)))

	enter := step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) { return u, t.enter(as.Loop(), first) })
	leave := step.Map(func(flow.Ended[step.Unit, step.Unit]) step.Unit { t.leave(); return step.Unit{} })
	return flow.Bracket(enter, flow.Then(flow.Par(branches...), drop), leave)
}

// hall returns the plan that begins the jobs that have no branch, until the table ends.
func (t *Table) hall() step.Step[step.Unit, step.Unit] {
	begin := step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.changed = false
		if t.over() {
			t.closed = true
			return loopx.Break[step.Unit]()
		}
		for _, e := range t.entries {
			if !e.begun {
				e.begun = true
				lanes.Go(as, e)
			}
		}
		return step.Wait(as, t.listen)
	})
	return flow.OnCancel(loopx.Loop(begin), func(step.Scope) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.closed = true
	})
}

// over reports whether the run begins no job any more; mu is held.
func (t *Table) over() bool {
	lives := func(e *entry) bool { return !e.ended }
	return t.stopped || len(t.entries) > 0 && len(t.leaving) == 0 && !slices.ContainsFunc(t.entries, lives)
}

func (t *Table) listen(done step.Done[step.Unit]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wake = done
	if t.changed {
		t.rouse()
	}
}

// rouse wakes the hall, or keeps it from its next wait; mu is held.
func (t *Table) rouse() {
	t.changed = true
	t.wake.Succeed(step.Unit{})
}
