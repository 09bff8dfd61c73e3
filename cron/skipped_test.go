package cron_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
)

// The job is due each minute; a round takes 150 seconds. The times, in seconds, are those after noon.
func TestSkipped(t *testing.T) {
	noon := start.Add(25 * time.Second)
	type shown struct {
		at                       int
		rounds, skipped, running int // running is when the round at work began; -1 if there is none
		next                     int // -1 if there is none
	}
	for overlap, want := range map[cron.Overlap][]shown{
		cron.Skip:    {{50, 0, 0, 0, 60}, {70, 0, 1, 0, 120}, {130, 0, 2, 0, 180}, {160, 1, 2, -1, 180}, {190, 1, 2, 180, 240}, {250, 1, 3, 180, 300}},
		cron.Later:   {{50, 0, 0, 0, 60}, {70, 0, 0, 0, 120}, {130, 0, 1, 0, 180}, {160, 1, 1, 150, 180}, {290, 1, 2, 150, 300}, {310, 2, 3, 300, 360}},
		cron.Each:    {{50, 0, 0, 0, 60}, {130, 0, 0, 0, 60}, {160, 1, 0, 150, 120}, {310, 2, 0, 300, 180}},
		cron.Replace: {{50, 0, 0, 0, 60}, {70, 1, 0, 60, 120}, {130, 2, 0, 120, 180}},
	} {
		k := newClock()
		table := minutely(k, 150*time.Second, overlap)
		run := k.run(t, table)
		k.Advance(25 * time.Second)
		seconds := func(at time.Time) int {
			if at.IsZero() {
				return -1
			}
			return int(at.Sub(noon) / time.Second)
		}
		now := 0
		for _, w := range want {
			k.Advance(time.Duration(w.at-now) * time.Second)
			now = w.at
			s := table.List()[0]
			if got := (shown{now, s.Rounds, s.Skipped, seconds(s.Running), seconds(s.Next)}); got != w {
				t.Errorf("%v: got %+v, want %+v", overlap, got, w)
			}
		}
		if err := table.Pause("job"); err != nil {
			t.Error(err)
		}
		before := table.List()[0].Skipped
		k.Advance(10 * time.Minute)
		if s := table.List()[0]; s.Skipped != before || !s.Next.IsZero() {
			t.Errorf("%v, paused: %+v, skipped %d before", overlap, s, before)
		}
		if err := table.Resume("job"); err != nil {
			t.Error(err)
		}
		k.Advance(0)
		if s := table.List()[0]; overlap != cron.Each && !s.Next.After(start.Add(k.Now())) {
			t.Errorf("%v, resumed: %+v", overlap, s)
		}
		table.Stop()
		if s := table.List()[0]; !s.Next.IsZero() {
			t.Errorf("%v, stopped: %+v", overlap, s)
		}
		run.Cancel(nil)
		k.Run()
	}
}

// A time that the clock has passed counts at the end of the round, if the timer is late.
func TestSkippedByTheClock(t *testing.T) {
	for overlap, log := range map[cron.Overlap]string{
		cron.Skip:  "0 begin, 150 end, 180 begin",
		cron.Later: "0 begin, 150 end, 150 begin",
	} {
		k := newClock()
		table := minutely(k, 90*time.Second, overlap)
		run := k.run(t, table)
		k.Advance(95 * time.Second)
		k.setBack(-time.Minute)
		k.Advance(60 * time.Second)
		want(t, k, log)
		if s := table.List()[0]; s.Skipped != map[cron.Overlap]int{cron.Skip: 2, cron.Later: 1}[overlap] {
			t.Errorf("%v: %+v", overlap, s)
		}
		run.Cancel(nil)
		k.Run()
	}
}

// A pause at the moment of a time, before its round begins.
func TestPauseAtATime(t *testing.T) {
	k := newClock()
	table := minutely(k, time.Second, cron.Skip)
	run := k.run(t, table)
	k.Advance(0)
	if _, err := k.Deferred(25*time.Second, func() { _ = table.Pause("job") }); err != nil {
		t.Fatal(err)
	}
	k.Advance(40 * time.Second)
	want(t, k, "")
	if err := table.Resume("job"); err != nil {
		t.Error(err)
	}
	k.Advance(60 * time.Second)
	want(t, k, "60 begin, 61 end")
	run.Cancel(nil)
	k.Run()
}

// A round that RunNow has asked for doesn't move the times.
func TestSkippedByRunNow(t *testing.T) {
	k := newClock()
	table := minutely(k, 30*time.Second, cron.Skip)
	run := k.run(t, table)
	k.Advance(10 * time.Second)
	if err := table.RunNow("job"); err != nil {
		t.Error(err)
	}
	k.Advance(10 * time.Second)
	if s := table.List()[0]; s.Next != start.Add(25*time.Second) || s.Skipped != 0 {
		t.Errorf("%+v", s)
	}
	k.Advance(10 * time.Second)
	if s := table.List()[0]; s.Next != start.Add(85*time.Second) || s.Skipped != 1 {
		t.Errorf("%+v", s)
	}
	run.Cancel(nil)
	k.Run()
}

// A Next that fails while a round is at work fails the run after that round.
func TestNextFailsInARound(t *testing.T) {
	k := newClock()
	calls := 0
	next := func(after time.Time) time.Time {
		if calls++; calls == 3 {
			panic("no")
		}
		return cron.Every(time.Minute)(after)
	}
	run := k.run(t, cron.New(cron.Job{Name: "job", Next: next, Work: k.work(90 * time.Second)}))
	k.Advance(100 * time.Second)
	want(t, k, "0 begin")
	living(t, run)
	k.Advance(100 * time.Second)
	want(t, k, "0 begin, 90 end")
	if _, err := run.Result(); err == nil || k.Pending() != 0 {
		t.Errorf("%v, %d callbacks are left", err, k.Pending())
	}
}
