package cron_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// drawn returns the names of the steps of a plan.
func drawn(plan flow.Plan[step.Unit, step.Unit]) map[string]bool {
	names := map[string]bool{}
	for tree := range flow.Describe(plan).All() {
		names[tree.Name] = true
	}
	return names
}

func TestSetWithoutARun(t *testing.T) {
	k := newClock()
	table := cron.New(k.job("a", time.Second, cron.Skip))
	old := table.Plan()
	b := k.job("b", time.Second, cron.Skip)
	set(t, table, b)
	if before, after := drawn(old), drawn(table.Plan()); !before["a"] || before["b"] || after["a"] || !after["b"] {
		t.Error("the pictures show", before, after)
	}
	run := flow.Start(t.Context(), k.Loop, old, step.Unit{}) // its branches are those of before
	k.Advance(30 * time.Second)
	run.Cancel(nil)
	k.Advance(0)
	set(t, table, b, k.job("c", time.Second, cron.Skip))
	run = k.run(t, table)
	k.Advance(time.Minute)
	want(t, k, "0 b+, 1 b-, 60 b+, 60 c+, 61 b-, 61 c-")
	table.Stop()
	k.Run()
	ended(t, run)
}

// A plan that was made before does all jobs again, also those that Set has added to its last run.
func TestSetAndAnotherRun(t *testing.T) {
	k := newClock()
	table := cron.New(k.job("a", time.Second, cron.Skip))
	plan := table.Plan()
	for range 2 {
		run := flow.Start(t.Context(), k.Loop, plan, step.Unit{})
		k.Advance(0)
		if len(table.List()) == 1 {
			set(t, table, k.job("a", time.Second, cron.Skip), k.job("b", time.Second, cron.Skip))
		}
		k.Advance(30 * time.Second)
		if err := table.RunNow("b"); err != nil {
			t.Error(err)
		}
		k.Advance(2 * time.Second)
		run.Cancel(nil)
		k.Advance(28 * time.Second)
	}
	want(t, k, "0 a+, 0 b+, 1 a-, 1 b-, 5 b+, 6 b-, 60 a+, 60 b+, 61 a-, 61 b-, 65 b+, 66 b-")
}

// The last round of a job that was removed keeps the run alive for Set.
func TestSetWhileTheLastRoundIsAtWork(t *testing.T) {
	k := newClock()
	work := step.New(func(step.Scope, step.Unit) step.Next[step.Unit] { return loopx.Break[step.Unit]() })
	breaks := cron.Job{Name: "b", Work: work, Period: 10 * time.Second}
	table := cron.New(k.job("a", 50*time.Second, cron.Skip), breaks)
	run := k.run(t, table)
	k.Advance(28 * time.Second)
	set(t, table, breaks)
	k.Advance(10 * time.Second) // b has begun again, and has ended
	set(t, table, each(k.job("c", time.Second, cron.Skip), 10*time.Second))
	k.Advance(10 * time.Second)
	want(t, k, "0 a+, 20 c+, 21 c-")
	run.Cancel(nil)
	k.Run()
}

// A table that has no jobs waits for some.
func TestTableWithoutJobs(t *testing.T) {
	k := newClock()
	table := cron.New()
	run := k.run(t, table)
	k.Advance(time.Minute)
	living(t, run)
	set(t, table, k.job("a", time.Second, cron.Skip))
	k.Advance(40 * time.Second)
	want(t, k, "60 a+, 61 a-")
	set(t, table)
	k.Advance(time.Minute)
	living(t, run)
	table.Stop()
	k.Run()
	ended(t, run)
}

// A job that has ended by a break begins again, with its counts. Without another job the break ends the run.
func TestSetAfterABreak(t *testing.T) {
	k := newClock()
	breaks := each(cron.Job{Name: "a", Work: step.New(func(step.Scope, step.Unit) step.Next[step.Unit] { return loopx.Break[step.Unit]() })}, time.Minute)
	table := cron.New(breaks, k.job("b", time.Second, cron.Skip))
	run := k.run(t, table)
	k.Advance(30 * time.Second)
	set(t, table, k.job("a", time.Second, cron.Skip))
	k.Advance(time.Minute)
	if s := table.List()[0]; s.Rounds != 2 || s.Failed != 1 {
		t.Errorf("%+v", s)
	}
	want(t, k, "0 b+, 1 b-, 60 a+, 61 a-")
	living(t, run)
	set(t, table, breaks)
	k.Advance(time.Minute)
	ended(t, run)
}

// The break of a round that has begun before Set doesn't end the job of Set.
func TestSetBeforeABreak(t *testing.T) {
	for overlap := cron.Skip; overlap <= cron.Replace; overlap++ {
		k := newClock()
		job := k.job("a", 10*time.Second, overlap)
		job.Work = flow.Then(job.Work, step.New(func(step.Scope, step.Unit) step.Next[step.Unit] { return loopx.Break[step.Unit]() }))
		table := cron.New(job)
		plan := table.Plan()
		run := k.run(t, table)
		k.Advance(30 * time.Second)
		set(t, table, k.job("a", time.Second, overlap))
		k.Advance(60 * time.Second)
		if s := table.List()[0]; s.Rounds != 2 || s.Failed != 1 {
			t.Errorf("%+v", s)
		}
		run.Cancel(nil)
		k.Advance(0)
		run = flow.Start(t.Context(), k.Loop, plan, step.Unit{}) // has a branch for the job of before
		k.Advance(60 * time.Second)
		want(t, k, "0 a+, 10 a-, 60 a+, 61 a-, 120 a+, 121 a-")
		table.Stop()
		k.Run()
		ended(t, run)
	}
}

// A Next that can't be used fails the run, when no round is at work.
func TestSetOfABadNext(t *testing.T) {
	for name, next := range unusable {
		for _, at := range []time.Duration{10 * time.Second, 30 * time.Second} {
			k := newClock()
			table := cron.New(k.job("a", 10*time.Second, cron.Replace), k.job("b", 10*time.Second, cron.Skip))
			run := k.run(t, table)
			k.Advance(at)
			bad := k.job("a", time.Second, cron.Skip)
			bad.Next = next
			set(t, table, bad, k.job("b", 10*time.Second, cron.Skip))
			if k.Advance(0); at > 25*time.Second {
				living(t, run)
				k.Advance(20 * time.Second)
			}
			if _, err := run.Result(); err == nil || errors.Is(err, flow.ErrRunning) {
				t.Error(name, at, err)
			}
			if at > 25*time.Second {
				want(t, k, "0 b+, 0 a+, 10 b-, 10 a-")
			}
			if k.Pending() != 0 {
				t.Errorf("%s: %d callbacks are left", name, k.Pending())
			}
		}
	}
}

// What Set has asked one run for doesn't reach the next one, which may be on another loop.
func TestSetAtTheEndOfARun(t *testing.T) {
	k, other := newClock(), newClock()
	table := cron.New(k.job("a", time.Second, cron.Skip))
	run := k.run(t, table)
	k.Advance(time.Second)
	run.Cancel(nil)
	set(t, table, other.job("b", time.Second, cron.Skip))
	k.Run()
	set(t, table, other.job("b", time.Second, cron.Skip))
	run = other.run(t, table)
	other.Advance(30 * time.Second)
	k.Run()
	want(t, other, "0 b+, 1 b-")
	run.Cancel(nil)
	other.Run()
}

// The delay of a time that stays is drawn once.
func TestSetKeepsTheJitter(t *testing.T) {
	k := newClock()
	job := k.job("a", time.Second, cron.Skip)
	job.Jitter = 10 * time.Second
	table := cron.New(job)
	run := k.run(t, table)
	k.Advance(time.Second)
	next := table.List()[0].Next
	for range 5 {
		set(t, table, job)
		k.Advance(0)
		if got := table.List()[0].Next; got != next {
			t.Errorf("%v, was %v", got, next)
		}
	}
	k.Advance(next.Sub(start) - time.Second - 1) // the time has come, its delay hasn't passed
	set(t, table, job)
	k.Advance(1)
	if len(k.log) != 1 {
		t.Errorf("no round at %v", next)
	}
	run.Cancel(nil)
	k.Run()
}

// A calendar that counts from the time that it is given, such as "@every 1m" of robfig/cron, goes on from the latest round.
func TestSetKeepsTheDelay(t *testing.T) {
	delay := func(d time.Duration) func(time.Time) time.Time {
		return func(after time.Time) time.Time { return after.Add(d) }
	}
	for overlap := cron.Skip; overlap <= cron.Replace; overlap++ {
		k := newClock()
		job := k.job("a", time.Second, overlap)
		job.Next = delay(time.Minute)
		table := cron.New(job)
		run := k.run(t, table)
		for range 6 {
			k.Advance(25 * time.Second)
			set(t, table, job)
		}
		job.Next = delay(10 * time.Second) // at 125: its times of 105 and 115 have passed
		set(t, table, job)
		k.Advance(15 * time.Second)
		want(t, k, "35 a+, 36 a-, 95 a+, 96 a-, 135 a+, 136 a-")
		run.Cancel(nil)
		k.Run()
	}
}

// A round that begins after Set has its values, also if its time has come before.
func TestSetAtATime(t *testing.T) {
	for overlap := cron.Skip; overlap <= cron.Replace; overlap++ {
		k := newClock()
		table := cron.New(k.job("a", time.Second, overlap))
		run := k.run(t, table)
		k.Advance(0)
		if _, err := k.Deferred(25*time.Second, func() {
			job := k.job("new", time.Second, overlap)
			job.Name = "a"
			set(t, table, job)
		}); err != nil {
			t.Fatal(err)
		}
		k.Advance(30 * time.Second)
		want(t, k, "0 new+, 1 new-")
		run.Cancel(nil)
		k.Run()
	}
}

// A job whose Next can't be used fails the run when its round has ended, unless Set mends or removes it before that.
func TestSetMendsABadNext(t *testing.T) {
	for name, mended := range map[string]func(k *clock) []cron.Job{
		"mended":  func(k *clock) []cron.Job { return []cron.Job{k.job("a", time.Second, cron.Skip)} },
		"removed": func(*clock) []cron.Job { return nil },
	} {
		k := newClock()
		table := cron.New(k.job("a", 10*time.Second, cron.Skip))
		run := k.run(t, table)
		k.Advance(30 * time.Second)
		bad := k.job("a", time.Second, cron.Skip)
		bad.Next = func(after time.Time) time.Time { return after }
		set(t, table, bad)
		k.Advance(time.Second)
		set(t, table, mended(k)...)
		k.Advance(60 * time.Second)
		living(t, run)
		want(t, k, map[string]string{"mended": "0 a+, 10 a-, 60 a+, 61 a-", "removed": "0 a+, 10 a-"}[name])
		table.Stop()
		k.Run()
		ended(t, run)
	}
}
