package cron_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var idle = step.Act(func(context.Context) error { return nil })

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		name    string
		overlap cron.Overlap
		takes   time.Duration
		until   time.Duration
		want    string
	}{
		{"skip, short", cron.Skip, 5 * time.Second, 147 * time.Second, "0 begin, 5 end, 60 begin, 65 end, 120 begin"},
		{"skip, as long as a period", cron.Skip, time.Minute, 250 * time.Second, "0 begin, 60 end, 120 begin, 180 end"},
		{"skip, long", cron.Skip, 130 * time.Second, 250 * time.Second, "0 begin, 130 end, 180 begin"},
		{"later, long", cron.Later, 130 * time.Second, 290 * time.Second, "0 begin, 130 end, 130 begin, 260 end, 260 begin"},
		{"each, long", cron.Each, 130 * time.Second, 290 * time.Second, "0 begin, 130 end, 130 begin, 260 end, 260 begin"},
		{"replace, short", cron.Replace, 5 * time.Second, 90 * time.Second, "0 begin, 5 end, 60 begin, 65 end"},
		{"replace, long", cron.Replace, 70 * time.Second, 150 * time.Second, "0 begin, 60 left, 60 begin, 120 left, 120 begin"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newClock()
			table := cron.New(cron.Job{Name: "job", Next: cron.Every(time.Minute), Work: k.work(c.takes), Overlap: c.overlap})
			run := k.run(t, table)
			k.Advance(c.until)
			want(t, k, c.want)
			run.Cancel(nil)
			k.Run()
			if errs := k.Errors(); len(errs) > 0 {
				t.Error(errs)
			}
		})
	}
}

// The first round takes longer than two periods.
func TestPassedTimes(t *testing.T) {
	for overlap, log := range map[cron.Overlap]string{
		cron.Skip:    "0 begin, 150 end, 180 begin, 181 end, 240 begin, 241 end",
		cron.Later:   "0 begin, 150 end, 150 begin, 151 end, 180 begin, 181 end, 240 begin, 241 end",
		cron.Each:    "0 begin, 150 end, 150 begin, 151 end, 151 begin, 152 end, 180 begin, 181 end, 240 begin, 241 end",
		cron.Replace: "0 begin, 60 left, 60 begin, 61 end, 120 begin, 121 end, 180 begin, 181 end, 240 begin, 241 end",
	} {
		k := newClock()
		first, others := k.work(150*time.Second), k.work(time.Second)
		rounds := 0
		work := step.New(func(as step.Scope, u step.Unit) step.Next[step.Unit] {
			if rounds++; rounds == 1 {
				return step.Into(as, first, u)
			}
			return step.Into(as, others, u)
		})
		run := k.run(t, cron.New(cron.Job{Name: "job", Next: cron.Every(time.Minute), Work: work, Overlap: overlap}))
		k.Advance(290 * time.Second)
		want(t, k, log)
		run.Cancel(nil)
		k.Run()
	}
}

func TestNextEnds(t *testing.T) {
	k := newClock()
	once := func(after time.Time) time.Time {
		if at := start.Add(time.Hour); after.Before(at) {
			return at
		}
		return time.Time{}
	}
	table := cron.New(cron.Job{Name: "job", Next: once, Work: k.work(time.Second)})
	run := k.run(t, table)
	k.Advance(24 * time.Hour)
	want(t, k, "3575 begin, 3576 end")
	living(t, run) // RunNow may ask for a round
	table.Stop()
	k.Run()
	ended(t, run)
}

// unusable has a Next of each kind that fails the run.
var unusable = map[string]func(after time.Time) time.Time{
	"the same time": func(after time.Time) time.Time { return after },
	"a panic":       func(time.Time) time.Time { panic("no") },
}

func TestNextGoesBack(t *testing.T) {
	for name, next := range unusable {
		k := newClock()
		run := k.run(t, cron.New(cron.Job{Name: "job", Next: next, Work: k.work(0)}))
		k.Run()
		if _, err := run.Result(); err == nil || errors.Is(err, flow.ErrRunning) {
			t.Error(name, err)
		}
	}
}

func TestJitter(t *testing.T) {
	k := newClock()
	var late []time.Duration
	work := step.Func(func(as step.Scope, u step.Unit) (step.Unit, error) {
		late = append(late, as.Now().Sub(as.Now().Truncate(time.Minute)))
		return u, nil
	})
	table := cron.New(cron.Job{Name: "job", Next: cron.Every(time.Minute), Work: work, Jitter: 10 * time.Second})
	run := k.run(t, table)
	k.Advance(0)
	for range 100 {
		next := table.List()[0].Next
		k.Advance(next.Sub(start.Add(k.Now())) - 1)
		begun := len(late)
		if k.Advance(1); len(late) != begun+1 {
			t.Fatalf("no round at %v, the next time", next)
		}
	}
	run.Cancel(nil)
	k.Run()
	different := map[time.Duration]bool{}
	for _, d := range late {
		different[d] = true
		if d < 0 || d >= 10*time.Second {
			t.Error(d)
		}
	}
	if len(different) < 90 {
		t.Errorf("%d different delays", len(different))
	}
}

func TestLimit(t *testing.T) {
	k := newClock()
	table := cron.New(cron.Job{Name: "job", Next: cron.Every(time.Minute), Work: k.work(time.Hour), Limit: 10 * time.Second})
	run := k.run(t, table)
	k.Advance(40 * time.Second)
	want(t, k, "0 begin, 10 left")
	errs := k.Errors()
	if len(errs) != 1 || !errors.Is(errs[0], fault.Timeout) || !strings.Contains(errs[0].Error(), "cron: job job: ") {
		t.Error(errs)
	}
	living(t, run)
	run.Cancel(nil)
	k.Run()
}

func TestEvery(t *testing.T) {
	at := time.Date(2026, 3, 1, 11, 59, 35, 500, time.UTC)
	for d, want := range map[time.Duration]string{
		time.Second:    "11:59:36",
		time.Minute:    "12:00:00",
		24 * time.Hour: "00:00:00",
	} {
		if got := cron.Every(d)(at).Format(time.TimeOnly); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	if got := cron.Every(time.Minute)(noon); got != noon.Add(time.Minute) {
		t.Error(got)
	}
}

func TestOf(t *testing.T) {
	k := newClock()
	var got []string
	greet := step.Map(func(name string) int { got = append(got, name); return len(name) })
	run := k.run(t, cron.New(cron.Job{Name: "job", Next: cron.Every(time.Minute), Work: cron.Of(greet, "ann")}))
	k.Advance(2 * time.Minute)
	run.Cancel(nil)
	k.Run()
	if len(got) != 2 || got[0] != "ann" {
		t.Error(got)
	}
}

func TestJobsThatAreNotWellFormed(t *testing.T) {
	good := cron.Job{Name: "job", Next: cron.Every(time.Second), Work: idle}
	change := func(f func(*cron.Job)) cron.Job {
		j := good
		f(&j)
		return j
	}
	for text, jobs := range map[string][]cron.Job{
		`job 0, "": the name is empty`:                            {change(func(j *cron.Job) { j.Name = "" })},
		`job 0, "job": Next is nil`:                               {change(func(j *cron.Job) { j.Next = nil })},
		`job 1, "other": Next is nil, or a period isn't positive`: {good, change(func(j *cron.Job) { j.Name, j.Next = "other", cron.Every(0) })},
		`job 0, "job": Work is nil`:                               {change(func(j *cron.Job) { j.Work = nil })},
		`job 0, "job": Jitter is below zero: -1ns`:                {change(func(j *cron.Job) { j.Jitter = -1 })},
		`job 0, "job": Limit is below zero: -1ns`:                 {change(func(j *cron.Job) { j.Limit = -1 })},
		`job 0, "job": Overlap is unknown`:                        {change(func(j *cron.Job) { j.Overlap = 9 })},
		`job 1, "job": it is not the only job of its name`:        {good, good},
		`job 0, "job": Work: `:                                    {change(func(j *cron.Job) { j.Work = cron.Of[int, int](nil, 1) })},
	} {
		err := cron.New(jobs...).Plan().Err()
		if !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %s", err, text)
		}
	}
}
