package cron_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// job returns a job of each minute, which logs its rounds with its name.
func (c *clock) job(name string, takes time.Duration, overlap cron.Overlap) cron.Job {
	log := func(event string) step.Step[step.Unit, step.Unit] {
		return step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) { c.note(as, name+event); return u, nil })
	}
	pause := flow.OnCancel(step.Delay[step.Unit](takes), func(as step.Scope) { c.note(as, name+" left") })
	return cron.Job{Name: name, Next: cron.Every(time.Minute), Work: flow.Chain(log("+"), pause, log("-")), Overlap: overlap}
}

func set(t *testing.T, table *cron.Table, jobs ...cron.Job) {
	t.Helper()
	if err := table.Set(jobs...); err != nil {
		t.Error(err)
	}
}

// each changes a job.
func each(j cron.Job, period time.Duration) cron.Job {
	j.Next = cron.Every(period)
	return j
}

func named(table *cron.Table) (names []string) {
	for _, s := range table.List() {
		names = append(names, s.Name)
	}
	return names
}

// What is done at which second after the start; noon is at 25.
func TestSet(t *testing.T) {
	const s = time.Second
	type acts map[time.Duration]func(k *clock, table *cron.Table)
	put := func(jobs ...func(k *clock) cron.Job) func(*clock, *cron.Table) {
		return func(k *clock, table *cron.Table) {
			all := make([]cron.Job, len(jobs))
			for i, j := range jobs {
				all[i] = j(k)
			}
			set(t, table, all...)
		}
	}
	job := func(name string, takes time.Duration, overlap cron.Overlap, period time.Duration) func(*clock) cron.Job {
		return func(k *clock) cron.Job { return each(k.job(name, takes, overlap), period) }
	}
	skip := func(name string, period time.Duration) func(*clock) cron.Job { return job(name, s, cron.Skip, period) }
	for name, c := range map[string]struct {
		first func(*clock) cron.Job
		acts  acts
		until time.Duration
		want  string
	}{
		"another job": {
			skip("a", 60*s), acts{30 * s: put(skip("b", 60*s), skip("a", 60*s))}, 90 * s,
			"0 a+, 1 a-, 60 a+, 60 b+, 61 a-, 61 b-",
		},
		"none":                     {skip("a", 60*s), acts{30 * s: put()}, 200 * s, "0 a+, 1 a-"},
		"none, and again":          {skip("a", 60*s), acts{30 * s: put(), 90 * s: put(skip("a", 60*s))}, 150 * s, "0 a+, 1 a-, 120 a+, 121 a-"},
		"an earlier time":          {skip("a", 60*s), acts{30 * s: put(skip("a", 20*s))}, 70 * s, "0 a+, 1 a-, 20 a+, 21 a-, 40 a+, 41 a-"},
		"a later time":             {skip("a", 10*s), acts{26 * s: put(skip("a", 60*s))}, 90 * s, "-20 a+, -19 a-, -10 a+, -9 a-, 0 a+, 1 a-, 60 a+, 61 a-"},
		"changed in a round":       {job("a", 70*s, cron.Skip, 60*s), acts{30 * s: put(skip("a", 20*s))}, 130 * s, "0 a+, 70 a-, 80 a+, 81 a-, 100 a+, 101 a-"},
		"removed in a round":       {job("a", 70*s, cron.Skip, 60*s), acts{30 * s: put()}, 250 * s, "0 a+, 70 a-"},
		"removed, may be replaced": {job("a", 70*s, cron.Replace, 60*s), acts{30 * s: put()}, 250 * s, "0 a+, 70 a-"},
		"away for a while in a round": {
			job("a", 90*s, cron.Later, 20*s), acts{30 * s: put(), 70 * s: put(job("a", s, cron.Later, 60*s))}, 160 * s,
			"-20 a+, 70 a-, 70 a+, 71 a-, 120 a+, 121 a-", // for 60, not for 0, 20, 40
		},
		"away in a round, and no time since": {
			job("a", 70*s, cron.Later, 20*s), acts{10 * s: put(), 60 * s: put(job("a", s, cron.Later, 60*s))}, 160 * s,
			"-20 a+, 50 a-, 60 a+, 61 a-, 120 a+, 121 a-",
		},
		"times of before aren't due": {job("a", s, cron.Each, time.Hour), acts{90 * s: put(job("a", s, cron.Each, 10*s))}, 110 * s, "0 a+, 1 a-, 70 a+, 71 a-, 80 a+, 81 a-"},
		"times that wait have one round": {
			job("a", 100*s, cron.Each, 20*s), acts{100 * s: put(job("a", 5*s, cron.Each, 10*s))}, 140 * s,
			"-20 a+, 80 a-, 80 a+, 85 a-, 85 a+, 90 a-, 90 a+, 95 a-, 100 a+, 105 a-, 110 a+, 115 a-",
		},
		"replaced by the new times": {
			job("a", 70*s, cron.Replace, 60*s), acts{30 * s: put(job("a", s, cron.Skip, 20*s))}, 70 * s, "0 a+, 20 a left, 20 a+, 21 a-, 40 a+, 41 a-",
		},
		"not replaced, as when it began": {
			job("a", 70*s, cron.Skip, 60*s), acts{30 * s: put(job("a", 30*s, cron.Replace, 20*s))}, 130 * s, "0 a+, 70 a-, 80 a+, 100 a left, 100 a+",
		},
		"RunNow in a round has the new values": {
			job("a", 20*s, cron.Later, time.Hour), acts{30 * s: func(k *clock, table *cron.Table) {
				if err := table.RunNow("a"); err != nil {
					t.Error(err)
				}
				set(t, table, each(k.job("a", 2*s, cron.Skip), time.Hour))
			}}, 70 * s, "0 a+, 20 a-, 20 a+, 22 a-",
		},
		"RunNow of a new job": {
			skip("a", time.Hour), acts{30 * s: func(k *clock, table *cron.Table) {
				set(t, table, each(k.job("b", s, cron.Skip), time.Hour))
				if err := table.RunNow("b"); err != nil {
					t.Error(err)
				}
			}}, 70 * s, "0 a+, 1 a-, 5 b+, 6 b-",
		},
		"a paused job stays paused": {
			skip("a", 60*s), acts{
				30 * s:  func(_ *clock, table *cron.Table) { _ = table.Pause("a") },
				40 * s:  put(skip("a", 20*s)),
				100 * s: func(_ *clock, table *cron.Table) { _ = table.Resume("a") },
			}, 110 * s, "0 a+, 1 a-, 80 a+, 81 a-",
		},
		"after Stop": {skip("a", 60*s), acts{30 * s: func(k *clock, table *cron.Table) { table.Stop(); set(t, table, k.job("b", s, cron.Skip)) }}, 200 * s, "0 a+, 1 a-"},
		"a paused job has the new Overlap": {
			job("a", 20*s, cron.Skip, 60*s), acts{
				30 * s:  put(job("a", s, cron.Later, 20*s)),
				50 * s:  func(_ *clock, table *cron.Table) { _ = table.Pause("a") },
				100 * s: func(_ *clock, table *cron.Table) { _ = table.Resume("a") },
			}, 110 * s, "0 a+, 20 a-, 75 a+, 76 a-, 80 a+, 81 a-",
		},
		"twice at once": {
			skip("a", 60*s), acts{30 * s: func(k *clock, table *cron.Table) {
				set(t, table, k.job("b", s, cron.Skip))
				set(t, table, k.job("c", s, cron.Skip), k.job("a", s, cron.Skip))
			}}, 90 * s, "0 a+, 1 a-, 60 c+, 60 a+, 61 c-, 61 a-",
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newClock()
			table := cron.New(c.first(k))
			run := k.run(t, table)
			for at := time.Duration(0); at < c.until; at += s {
				if act := c.acts[at]; act != nil {
					act(k, table)
				}
				k.Advance(s)
			}
			want(t, k, c.want)
			run.Cancel(nil)
			k.Run()
			if errs := k.Errors(); len(errs) > 0 || k.Pending() != 0 {
				t.Errorf("%v, %d callbacks are left", errs, k.Pending())
			}
		})
	}
}

func TestSetOfBadJobs(t *testing.T) {
	k := newClock()
	table := cron.New(k.job("a", time.Second, cron.Skip))
	run := k.run(t, table)
	good := k.job("b", time.Second, cron.Skip)
	for text, jobs := range map[string][]cron.Job{
		`job 1, "": the name is empty`:                   {good, {Next: cron.Every(1), Work: idle}},
		`job 0, "c": Work is nil`:                        {{Name: "c", Period: 1}, good},
		`job 1, "b": it is not the only job of its name`: {good, good},
	} {
		err := table.Set(jobs...)
		if !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %s", err, text)
		}
	}
	if err := table.Plan().Err(); err != nil || !slices.Equal(named(table), []string{"a"}) {
		t.Errorf("%v, %v", named(table), err)
	}
	k.Advance(30 * time.Second)
	want(t, k, "0 a+, 1 a-")
	run.Cancel(nil)
	k.Run()
}

// The list has the new jobs at once, and a job that was removed until its round has ended.
func TestSetAndList(t *testing.T) {
	k := newClock()
	noon := start.Add(25 * time.Second)
	table := cron.New(k.job("a", 40*time.Second, cron.Skip), k.job("b", time.Second, cron.Skip))
	run := k.run(t, table)
	k.Advance(30 * time.Second)
	again := k.job("b", time.Second, cron.Skip)
	again.Spec = "often"
	set(t, table, k.job("c", time.Second, cron.Skip), again)
	list := table.List()
	if got := named(table); !slices.Equal(got, []string{"c", "b", "a"}) || list[1].Rounds != 1 || list[1].Spec != "often" || list[2].Running != noon || !list[2].Next.IsZero() {
		t.Errorf("%+v", list)
	}
	for _, act := range []func(string) error{table.RunNow, table.Pause, table.Resume} {
		if err := act("a"); !errors.Is(err, cron.ErrNoJob) {
			t.Error(err)
		}
	}
	k.Advance(0)
	if next := table.List()[0].Next; next != noon.Add(time.Minute) {
		t.Errorf("the new job is due at %v", next)
	}
	k.Advance(40 * time.Second)
	if got := named(table); !slices.Equal(got, []string{"c", "b"}) {
		t.Error(got)
	}
	set(t, table, k.job("a", time.Second, cron.Skip))
	if s := table.List()[0]; s.Rounds != 0 || !s.Ended.IsZero() {
		t.Errorf("a job that was away: %+v", s)
	}
	run.Cancel(nil)
	k.Run()
}

// A job that is away only while its round is at work goes on as the same one.
func TestSetInARound(t *testing.T) {
	k := newClock()
	table := cron.New(k.job("a", 40*time.Second, cron.Skip))
	run := k.run(t, table)
	k.Advance(70 * time.Second) // after one round
	k.Advance(30 * time.Second) // in the second one
	set(t, table)
	k.Advance(time.Second)
	set(t, table, each(k.job("a", time.Second, cron.Skip), 10*time.Second))
	k.Advance(0)
	noon := start.Add(25 * time.Second)
	if list := table.List(); len(list) != 1 || list[0].Rounds != 1 || list[0].Running != noon.Add(time.Minute) || list[0].Next != noon.Add(80*time.Second) {
		t.Errorf("%+v", list)
	}
	k.Advance(60 * time.Second)
	want(t, k, "0 a+, 40 a-, 60 a+, 100 a-, 110 a+, 111 a-, 120 a+, 121 a-, 130 a+, 131 a-")
	run.Cancel(nil)
	k.Run()
}
