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
//   - A job that the table has keeps its counts, the result of its last round, and whether it is paused. Its times are
//     those of the new Job from now on; a Next that adds to the time that it is given goes on from the latest round. A
//     round at work goes on with the Work, the Limit and the Overlap with which it has begun, and the next one has the new
//     values. A time that has come already, and waits for that round, has its round: one for all of them. A job that has
//     ended by a break begins again, also if the break is that of the round at work.
//   - A job that isn't named any more begins no round. A round at work may end, and is in [Table.List] until then. If the
//     job is added again before that, it goes on as one that was never away; after that it is a new one.
//
// Without a run the jobs are those of the next one. After [Table.Stop] none begins a round.
func (t *Table) Set(jobs ...Job) error {
	bad := faults(jobs)
	if i := slices.IndexFunc(bad, func(b string) bool { return b != "" }); i >= 0 {
		return invalid(bad[i])
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.change(jobs)
	t.stale = true
	if t.loop == nil {
		return nil
	}
	run := t.run
	_, _ = t.loop.Immediate(func() { t.adopt(run) }) // a loop that refuses it ends, and the run with it
	t.rouse()
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

// change makes the entries those of jobs; mu is held.
func (t *Table) change(jobs []Job) {
	known := make(map[string]*entry)
	before := slices.Collect(t.all)
	for _, e := range before {
		known[e.state.Name] = e
		e.gone = true
	}
	t.entries = make([]*entry, len(jobs))
	for i, j := range jobs {
		e := known[j.Name]
		switch {
		case e == nil:
			e = newEntry(t, State{Name: j.Name})
		case e.ended: // its branch may not have left yet
			e = newEntry(t, e.state)
		}
		e.gone = false
		e.given = e.edition(j)
		e.state.Spec = j.spec()
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

// renew begins the job of an entry again if a round of before Set has ended the branch by a break.
func (e *entry) renew() {
	t := e.table
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.entries, e)
	if i < 0 || t.stopped || e.given == e.latest {
		return
	}
	again := newEntry(t, e.state)
	again.given, again.asked = again.edition(e.given.Job), e.asked
	e.gone = true // also for another run, whose plan may have a branch for it
	t.entries[i] = again
	t.rouse()
}

// adopt lets the entries that have changed take their new times. It is called on the loop of the run with the given number.
func (t *Table) adopt(run int) {
	t.mu.Lock()
	var all []*entry
	if t.loop != nil && t.run == run {
		all = slices.Clone(t.entries)
	}
	t.mu.Unlock()
	for _, e := range all {
		e.adopt()
	}
}

// lanes are the branches of jobs that a run has got by Set, and the hall, which begins them.
var lanes = flow.NewTasks[*entry, step.Unit]("cron")

// build returns the plan for the entries of now. bad has the reason why a job is invalid, "" if it is valid; mu is held.
func (t *Table) build(bad []string) flow.Plan[step.Unit, step.Unit] {
	first := slices.Clone(t.entries)
	branches := make([]step.Step[step.Unit, step.Unit], len(first), len(first)+1)
	for i, e := range first {
		branches[i] = e.plan(e.given, bad[i])
	}
	hall := t.hall()
	lane := step.New(func(as step.Scope, e *entry) step.Next[step.Unit] {
		if e == nil {
			return step.Into(as, hall, step.Unit{})
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
	return loopx.Loop(step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.changed = false
		if t.over() {
			return loopx.Break[step.Unit]()
		}
		for _, e := range t.entries {
			if !e.begun {
				e.begun = true
				if e.lane == nil {
					e.lane = e.plan(nil, "")
				}
				lanes.Go(as, e)
			}
		}
		return step.Wait(as, t.listen)
	}))
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

// rouse lets the hall look what there is to do; mu is held.
func (t *Table) rouse() {
	t.changed = true
	t.wake.Succeed(step.Unit{})
}
