package cron_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
)

// Times that have come in a pause are dealt with by the Overlap that the job has when it is resumed.
func TestSetInAPause(t *testing.T) {
	const quiet, busy = "0 a+, 1 a-, 180 a+, 181 a-", "0 a+, 1 a-, 135 a+, 136 a-, 180 a+, 181 a-"
	for name, c := range map[string]struct {
		before, after cron.Overlap
		now           bool // a round of RunNow is at work when Set is called
		want          string
	}{
		"later, skip":            {cron.Later, cron.Skip, false, quiet},
		"later, replace":         {cron.Later, cron.Replace, false, quiet},
		"each, skip":             {cron.Each, cron.Skip, false, quiet},
		"each, later":            {cron.Each, cron.Later, false, busy},
		"later, each":            {cron.Later, cron.Each, false, busy},
		"skip, later":            {cron.Skip, cron.Later, false, quiet},
		"later, skip in a round": {cron.Later, cron.Skip, true, "0 a+, 10 a-, 130 a+, 140 a-, 180 a+, 181 a-"},
		"each, skip in a round":  {cron.Each, cron.Skip, true, "0 a+, 10 a-, 130 a+, 140 a-, 180 a+, 181 a-"},
	} {
		for _, at := range []time.Duration{0, time.Second} { // how long after Set the job is resumed
			k := newClock()
			takes := time.Second
			if c.now {
				takes *= 10
			}
			table := cron.New(k.job("a", takes, c.before))
			run := k.run(t, table)
			k.Advance(30 * time.Second)
			_ = table.Pause("a")
			k.Advance(125 * time.Second) // the times of 60 and 120 have come
			if c.now {
				_ = table.RunNow("a")
				k.Advance(0)
			}
			k.Advance(5*time.Second - at)
			set(t, table, k.job("a", time.Second, c.after))
			k.Advance(at)
			_ = table.Resume("a")
			k.Advance(60 * time.Second)
			if got := k.String(); got != c.want {
				t.Errorf("%s, %v: %s", name, at, got)
			}
			run.Cancel(nil)
			k.Run()
		}
	}
}

// Set right after Resume doesn't change what the pause has left.
func TestSetAfterAPause(t *testing.T) {
	for overlap := cron.Skip; overlap <= cron.Replace; overlap++ {
		k := newClock()
		table := cron.New(k.job("a", time.Second, overlap))
		run := k.run(t, table)
		k.Advance(30 * time.Second)
		set(t, table, k.job("a", time.Second, cron.Later))
		_ = table.Pause("a")
		k.Advance(130 * time.Second)
		_ = table.Resume("a")
		set(t, table, k.job("a", time.Second, overlap))
		k.Advance(50 * time.Second)
		want(t, k, "0 a+, 1 a-, 135 a+, 136 a-, 180 a+, 181 a-")
		run.Cancel(nil)
		k.Run()
	}
}

// A time that waits for its delay waits no longer than the new Jitter allows.
func TestSetShortensTheJitter(t *testing.T) {
	for name, c := range map[string]struct{ jitter, by time.Duration }{
		"to none":      {0, 25 * time.Second},
		"to a shorter": {40 * time.Second, 40 * time.Second},
	} {
		k := newClock()
		job := k.job("a", time.Second, cron.Skip)
		job.Next, job.Jitter = cron.Every(time.Hour), 20*time.Minute
		table := cron.New(job)
		run := k.run(t, table)
		k.Advance(0)
		if table.List()[0].Next.Before(start.Add(90 * time.Second)) {
			t.Fatal("the delay is too short for this test")
		}
		k.Advance(50 * time.Second) // 25 seconds after its time
		job.Jitter = c.jitter
		set(t, table, job)
		k.Advance(0)
		if c.jitter > 0 {
			if next := start.Add(25 * time.Second).Add(c.by); table.List()[0].Next != next {
				t.Errorf("%s: the next time is %v", name, table.List()[0].Next)
			}
			k.Advance(15 * time.Second)
		}
		if s := table.List()[0]; s.Running != start.Add(25*time.Second).Add(c.by) || s.Next.Before(start.Add(time.Hour)) {
			t.Errorf("%s: %+v", name, s)
		}
		run.Cancel(nil)
		k.Run()
	}
}
