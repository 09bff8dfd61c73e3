package cron_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
)

// paused does the same at each second of a table: p pauses its job, r resumes it, n asks for a round.
func paused(t *testing.T, k *clock, table *cron.Table, what map[time.Duration]string) {
	t.Helper()
	for s := range 300 * time.Second / time.Second {
		for _, c := range what[s] {
			act := map[rune]func(string) error{'p': table.Pause, 'r': table.Resume, 'n': table.RunNow}[c]
			if err := act("job"); err != nil {
				t.Errorf("%c after %d s: %v", c, s, err)
			}
		}
		k.Advance(time.Second)
	}
}

// The times, in seconds, are those of paused: noon is at 25.
func TestPause(t *testing.T) {
	const short = "-15 begin, -14 end, " // of RunNow at 10
	for name, c := range map[string]struct {
		overlap cron.Overlap
		takes   time.Duration
		what    map[time.Duration]string
		want    string
	}{
		"skip": {cron.Skip, time.Second, map[time.Duration]string{50: "p", 200: "r"}, "0 begin, 1 end, 180 begin, 181 end, 240 begin, 241 end"},
		"later": {
			cron.Later, time.Second, map[time.Duration]string{50: "p", 200: "r"},
			"0 begin, 1 end, 175 begin, 176 end, 180 begin, 181 end, 240 begin, 241 end",
		},
		"each": {
			cron.Each, time.Second, map[time.Duration]string{50: "p", 200: "r"},
			"0 begin, 1 end, 175 begin, 176 end, 176 begin, 177 end, 180 begin, 181 end, 240 begin, 241 end",
		},
		"replace": {cron.Replace, time.Second, map[time.Duration]string{50: "p", 200: "r"}, "0 begin, 1 end, 180 begin, 181 end, 240 begin, 241 end"},
		"a round at work goes on": {
			cron.Skip, 20 * time.Second, map[time.Duration]string{30: "p", 100: "r"},
			"0 begin, 20 end, 120 begin, 140 end, 180 begin, 200 end, 240 begin, 260 end",
		},
		"no round is replaced": {
			cron.Replace, 90 * time.Second, map[time.Duration]string{50: "p", 100: "r"},
			"0 begin, 90 end, 120 begin, 180 left, 180 begin, 240 left, 240 begin",
		},
		"no time passes meanwhile": {
			cron.Skip, time.Second, map[time.Duration]string{10: "p", 20: "r", 30: "ppr", 40: "r"},
			"0 begin, 1 end, 60 begin, 61 end, 120 begin, 121 end, 180 begin, 181 end, 240 begin, 241 end",
		},
		"RunNow": {cron.Skip, time.Second, map[time.Duration]string{0: "p", 10: "n", 100: "n"}, short + "75 begin, 76 end"},
		"RunNow of each": {
			cron.Each, time.Second, map[time.Duration]string{0: "p", 10: "n", 100: "n", 150: "r"},
			short + "75 begin, 76 end, 125 begin, 126 end, 126 begin, 127 end, 127 begin, 128 end, 180 begin, 181 end, 240 begin, 241 end",
		},
		"RunNow when it is resumed": {cron.Skip, time.Second, map[time.Duration]string{0: "p", 100: "rn", 250: "p"}, "75 begin, 76 end, 120 begin, 121 end, 180 begin, 181 end"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newClock()
			table := minutely(k, c.takes, c.overlap)
			run := k.run(t, table)
			paused(t, k, table, c.what)
			living(t, run)
			want(t, k, c.want)
			run.Cancel(nil)
			k.Run()
		})
	}
}

func TestPausedTable(t *testing.T) {
	k := newClock()
	table := minutely(k, time.Second, cron.Skip)
	for _, act := range []func(string) error{table.Pause, table.Resume} {
		if err := act("other"); !errors.Is(err, cron.ErrNoJob) {
			t.Errorf("another job: %v", err)
		}
	}
	pause := func(act func(string) error) {
		t.Helper()
		if err := act("job"); err != nil {
			t.Error(err)
		}
	}
	pause(table.Pause) // before the run
	run := k.run(t, table)
	k.Advance(90 * time.Second)
	if s := table.List()[0]; !s.Paused || !s.Next.IsZero() {
		t.Errorf("while it is paused: %+v", s)
	}
	run.Cancel(nil)
	k.Advance(0)
	pause(table.Resume) // between two runs
	again := k.run(t, table)
	k.Advance(time.Second)
	if s := table.List()[0]; s.Paused || s.Next != start.Add(145*time.Second) {
		t.Errorf("when it was resumed: %+v", s)
	}
	pause(table.Pause)
	k.Advance(time.Hour)
	want(t, k, "")
	table.Stop() // ends a paused job as well
	k.Advance(0)
	ended(t, again)
}
