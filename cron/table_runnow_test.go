package cron_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// What RunNow has asked one run for isn't done by the next one.
func TestRunNowEndsWithItsRun(t *testing.T) {
	k := newClock()
	table := minutely(k, 50*time.Second, cron.Later)
	run := k.run(t, table)
	k.Advance(30 * time.Second)
	if err := table.RunNow("job"); err != nil {
		t.Fatal(err)
	}
	run.Cancel(nil)
	k.Advance(0)
	again := k.run(t, table)
	k.Advance(20 * time.Second)
	want(t, k, "0 begin, 5 left")
	living(t, again)
	table.Stop()
	k.Run()
}

// A job that was cancelled, or has ended by a break, is neither due nor begun, while another one is still at work.
func TestRunNowOfAJobThatHasEnded(t *testing.T) {
	k := newClock()
	breaks := step.New(func(step.Scope, step.Unit) step.Next[step.Unit] { return loopx.Break[step.Unit]() })
	table := cron.New(
		cron.Job{Name: "long", Next: cron.Every(time.Minute), Work: flow.Grace(-1, flow.Shield(k.work(50*time.Second)))},
		cron.Job{Name: "short", Next: cron.Every(time.Minute), Work: k.work(time.Second)},
		cron.Job{Name: "breaks", Next: cron.Every(time.Minute), Work: breaks},
	)
	run := k.run(t, table)
	k.Advance(30 * time.Second)
	if err := table.RunNow("breaks"); !errors.Is(err, cron.ErrNotRunning) {
		t.Errorf("after a break: %v", err)
	}
	run.Cancel(nil)
	k.Advance(0)
	if err := table.RunNow("short"); !errors.Is(err, cron.ErrNotRunning) {
		t.Errorf("after a cancel: %v", err)
	}
	for _, s := range table.List()[1:] {
		if !s.Next.IsZero() {
			t.Errorf("%s is due at %v", s.Name, s.Next)
		}
	}
	living(t, run)
	k.Run()
}

func TestRunNow(t *testing.T) {
	for _, c := range []struct {
		name    string
		overlap cron.Overlap
		takes   time.Duration
		at      []time.Duration // of the calls, after the start
		want    string
	}{
		{"while it waits", cron.Skip, time.Second, []time.Duration{5 * time.Second}, "-20 begin, -19 end, 0 begin, 1 end, 60 begin"},
		{"twice at once", cron.Skip, time.Second, []time.Duration{5 * time.Second, 5 * time.Second}, "-20 begin, -19 end, 0 begin, 1 end, 60 begin"},
		{"during a round", cron.Later, 10 * time.Second, []time.Duration{30 * time.Second}, "0 begin, 10 end, 10 begin, 20 end, 60 begin"},
		{"twice during a round", cron.Each, 10 * time.Second, []time.Duration{30 * time.Second, 31 * time.Second}, "0 begin, 10 end, 10 begin, 20 end, 60 begin"},
		{"in the place of a round", cron.Replace, 10 * time.Second, []time.Duration{30 * time.Second}, "0 begin, 5 left, 5 begin, 15 end, 60 begin"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newClock()
			table := minutely(k, c.takes, c.overlap)
			run := k.run(t, table)
			now := time.Duration(0)
			for _, at := range c.at {
				if at > now {
					k.Advance(at - now)
				}
				now = at
				if err := table.RunNow("job"); err != nil {
					t.Error(err)
				}
			}
			k.Advance(85*time.Second - now)
			want(t, k, c.want)
			run.Cancel(nil)
			k.Run()
		})
	}
	t.Run("refused", func(t *testing.T) {
		k := newClock()
		table := minutely(k, time.Second, cron.Skip)
		refused := func(when, name string, want error) {
			t.Helper()
			if err := table.RunNow(name); !errors.Is(err, want) || !errors.Is(err, fault.InvalidRequest) {
				t.Error(when, err)
			}
		}
		refused("before the run", "job", cron.ErrNotRunning)
		run := k.run(t, table)
		k.Advance(time.Second)
		refused("another name", "other", cron.ErrNoJob)
		table.Stop()
		refused("after Stop", "job", cron.ErrNotRunning)
		k.Run()
		refused("after the run", "job", cron.ErrNotRunning)
		ended(t, run)
	})
}

// A round that begins at its time is the one that RunNow has asked for at that moment.
func TestRunNowAtTheTimeOfARound(t *testing.T) {
	for _, c := range []struct {
		name    string
		overlap cron.Overlap
		takes   time.Duration
		at      time.Duration // of the call, after the start
		want    string
	}{
		{"Skip", cron.Skip, time.Second, 25 * time.Second, "0 begin, 1 end, 60 begin, 61 end"},
		{"Later", cron.Later, time.Second, 25 * time.Second, "0 begin, 1 end, 60 begin, 61 end"},
		{"Each", cron.Each, time.Second, 25 * time.Second, "0 begin, 1 end, 60 begin, 61 end"},
		{"Replace", cron.Replace, time.Second, 25 * time.Second, "0 begin, 1 end, 60 begin, 61 end"},
		{"Replace, another at work", cron.Replace, 65 * time.Second, 85 * time.Second, "0 begin, 60 left, 60 begin, 125 end"},
		{"Later, during a round", cron.Later, 70 * time.Second, 90 * time.Second, "0 begin, 70 end, 70 begin, 140 end"},
		{"Each, during a round", cron.Each, 70 * time.Second, 90 * time.Second, "0 begin, 70 end, 70 begin, 140 end, 140 begin"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newClock()
			twice := func(after time.Time) (at time.Time) { // noon, and a minute later
				if after.Sub(start) < 85*time.Second {
					at = cron.Every(time.Minute)(after)
				}
				return at
			}
			table := cron.New(cron.Job{Name: "job", Next: twice, Work: k.work(c.takes), Overlap: c.overlap})
			_, _ = k.Deferred(c.at, func() { // before the timer of the round
				if err := table.RunNow("job"); err != nil {
					t.Error(err)
				}
			})
			run := k.run(t, table)
			k.Advance(170 * time.Second)
			want(t, k, c.want)
			run.Cancel(nil)
			k.Run()
		})
	}
}

// With Skip RunNow asks for no round while one is at work, as a time then has none. The Overlap is that of the last Set.
func TestRunNowDuringARound(t *testing.T) {
	for _, c := range []struct {
		first, then cron.Overlap
		want        string // "" if RunNow refuses
	}{
		{cron.Skip, cron.Skip, ""},
		{cron.Replace, cron.Skip, ""},
		{cron.Skip, cron.Later, "0 a+, 20 a-, 20 a+, 40 a-"},
	} {
		k := newClock()
		table := cron.New(k.job("a", 20*time.Second, c.first))
		run := k.run(t, table)
		k.Advance(30 * time.Second)
		set(t, table, k.job("a", 20*time.Second, c.then))
		err := table.RunNow("a")
		if refused := errors.Is(err, cron.ErrAtWork); refused != (c.want == "") || refused && !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("%v, %v: %v", c.first, c.then, err)
		}
		if k.Advance(50 * time.Second); c.want == "" {
			want(t, k, "0 a+, 20 a-")
			if err := table.RunNow("a"); err != nil { // the round has ended
				t.Error(err)
			}
		} else {
			want(t, k, c.want)
		}
		run.Cancel(nil)
		k.Run()
	}
}
