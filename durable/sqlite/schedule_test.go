package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/step"
)

var lasting = durable.New("lasting", step.DelayBy(func(_ step.Scope, d time.Duration) time.Duration { return d }))

// startedAt returns the times at which runs of lasting were started, the oldest first, as "15:04 for 15:04": the second time is the
// one in the id of the run.
func startedAt(t *testing.T, f *sqlite.File) string {
	t.Helper()
	var all []string
	for info, err := range f.Operator().Runs(t.Context(), sqlite.Query{Workflow: "lasting"}) {
		if err != nil {
			t.Error(err)
		}
		_, at, _ := strings.Cut(info.ID, "@")
		due, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Error(err)
		}
		all = append([]string{info.Began.UTC().Format("15:04") + " for " + due.Format("15:04")}, all...)
	}
	return strings.Join(all, ", ")
}

// Virtual time begins at midnight.
func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		reason  string
		overlap cron.Overlap
		beside  bool
		lasts   time.Duration
		down    time.Duration // after 65 minutes; the program works for 65 minutes again
		want    string
	}{
		{"short runs", cron.Skip, false, time.Minute, 0, "00:30 for 00:30, 01:00 for 01:00, 01:30 for 01:30, 02:00 for 02:00"},
		{"skipped while down", cron.Skip, false, time.Minute, 60 * time.Minute, "00:30 for 00:30, 01:00 for 01:00, 02:30 for 02:30, 03:00 for 03:00"},
		{"one for all", cron.Later, false, time.Minute, 60 * time.Minute, "00:30 for 00:30, 01:00 for 01:00, 02:05 for 01:30, 02:30 for 02:30, 03:00 for 03:00"},
		{"each", cron.Each, false, time.Minute, 60 * time.Minute, "00:30 for 00:30, 01:00 for 01:00, 02:05 for 01:30, 02:06 for 02:00, 02:30 for 02:30, 03:00 for 03:00"},
		{"each, beside", cron.Each, true, time.Hour, 60 * time.Minute, "00:30 for 00:30, 01:00 for 01:00, 02:05 for 01:30, 02:05 for 02:00, 02:30 for 02:30, 03:00 for 03:00"},
		{"long runs skip", cron.Skip, false, 70 * time.Minute, 0, "00:30 for 00:30, 02:00 for 02:00"},
		{"long runs and one for all", cron.Later, false, 40 * time.Minute, 0, "00:30 for 00:30, 01:10 for 01:00, 01:50 for 01:30"},
		{"long runs are replaced", cron.Replace, false, 70 * time.Minute, 0, "00:30 for 00:30, 01:00 for 01:00, 01:30 for 01:30, 02:00 for 02:00"},
		{"long runs beside", cron.Skip, true, 70 * time.Minute, 0, "00:30 for 00:30, 01:00 for 01:00, 01:30 for 01:30, 02:00 for 02:00"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "app.db")
			synctest.Test(t, func(t *testing.T) {
				f := openFile(t, path, sqlite.Options{}, lasting)
				s := sqlite.Schedule{Name: "half", When: "every 30m", Overlap: c.overlap, Beside: c.beside}
				if err := sqlite.Repeat(t.Context(), f, lasting, s, c.lasts); err != nil {
					t.Fatal(err)
				}
				time.Sleep(65 * time.Minute)
				synctest.Wait()
				closeFile(t, f)
				time.Sleep(c.down)
				f = openFile(t, path, sqlite.Options{}, lasting)
				time.Sleep(65 * time.Minute)
				synctest.Wait()
				if got := startedAt(t, f); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
				closeFile(t, f)
			})
		})
	}
}

func TestScheduleOperated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{}, lasting)
		o := f.Operator()
		repeat := func(when string) {
			t.Helper()
			if err := sqlite.Repeat(t.Context(), f, lasting, sqlite.Schedule{Name: "s", When: when}, time.Minute); err != nil {
				t.Error(err)
			}
		}
		next := func(want string) {
			t.Helper()
			all, err := o.Schedules(t.Context())
			if err != nil || len(all) != 1 || all[0].Name != "s" || all[0].Workflow != "lasting" || string(all[0].Input) != "60000000000" {
				t.Errorf("got %+v, %v", all, err)
				return
			}
			if got := all[0].Next.UTC().Format(time.DateTime); got != want {
				t.Errorf("the next time is %s, want %s", got, want)
			}
		}
		repeat("CRON_TZ=Asia/Tokyo 0 12 * * *")
		next("2000-01-01 03:00:00")
		repeat("0 6 * * *")
		next("2000-01-01 06:00:00")
		if err := o.Pause(t.Context(), "s"); err != nil {
			t.Error(err)
		}
		repeat("0 6 * * *")
		next("0001-01-01 00:00:00")
		time.Sleep(7 * time.Hour)
		if got := startedAt(t, f); got != "" {
			t.Errorf("a paused schedule has started %s", got)
		}
		if err := o.Resume(t.Context(), "s"); err != nil {
			t.Error(err)
		}
		next("2000-01-02 06:00:00")
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if got := startedAt(t, f); got != "06:00 for 06:00" {
			t.Errorf("got %s", got)
		}
		if err := o.Remove(t.Context(), "s"); err != nil {
			t.Error(err)
		}
		for name, do := range map[string]func(context.Context, string) error{"pause": o.Pause, "resume": o.Resume, "remove": o.Remove} {
			if err := do(t.Context(), "s"); !errors.Is(err, sqlite.ErrNoSchedule) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		closeFile(t, f)
	})
}

// A schedule whose workflow the program lacks is reported, and goes on when the program has the workflow again. Other schedules go
// on meanwhile.
func TestScheduleWithoutWorkflow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{}, lasting, asks)
		s := sqlite.Schedule{Name: "s", When: "every 30m", Overlap: cron.Later}
		err := errors.Join(sqlite.Repeat(t.Context(), f, lasting, s, time.Minute),
			sqlite.Repeat(t.Context(), f, asks, sqlite.Schedule{Name: "a", When: "every 30m", Beside: true}, struct{}{}))
		if err != nil {
			t.Fatal(err)
		}
		closeFile(t, f)
		var reported []error
		f = openFile(t, path, sqlite.Options{OnError: func(err error) { reported = append(reported, err) }}, asks)
		time.Sleep(65 * time.Minute)
		synctest.Wait()
		if got := selectIDs(t, f.Operator(), sqlite.Query{}); got != "a@2000-01-01T01:00:00Z a@2000-01-01T00:30:00Z" {
			t.Errorf("got %s", got)
		}
		closeFile(t, f)
		if len(reported) != 1 || !strings.Contains(reported[0].Error(), "schedule s: this program has no workflow lasting") {
			t.Errorf("reported %v", reported)
		}
		f = openFile(t, path, sqlite.Options{}, lasting, asks)
		synctest.Wait()
		if got := startedAt(t, f); got != "01:05 for 00:30" {
			t.Errorf("got %s", got)
		}
		closeFile(t, f)
	})
}

func TestNoSchedule(t *testing.T) {
	f := openFile(t, filepath.Join(t.TempDir(), "app.db"), sqlite.Options{}, lasting)
	var none context.Context
	for reason, c := range map[string]struct {
		ctx context.Context
		w   *durable.Workflow[time.Duration, time.Duration]
		s   sqlite.Schedule
	}{
		"the context is nil":    {none, lasting, sqlite.Schedule{Name: "s", When: "every 1m"}},
		"name of a schedule":    {t.Context(), lasting, sqlite.Schedule{When: "every 1m"}},
		"below a second":        {t.Context(), lasting, sqlite.Schedule{Name: "s", When: "every 1ms"}},
		"invalid duration":      {t.Context(), lasting, sqlite.Schedule{Name: "s", When: "every day"}},
		"five fields of cron":   {t.Context(), lasting, sqlite.Schedule{Name: "s", When: "@daily"}},
		"expected exactly 5":    {t.Context(), lasting, sqlite.Schedule{Name: "s", When: "0 12 * *"}},
		"Overlap":               {t.Context(), lasting, sqlite.Schedule{Name: "s", When: "every 1m", Overlap: 9}},
		"not given to sqlite.O": {t.Context(), durable.New("other", step.Delay[time.Duration](0)), sqlite.Schedule{Name: "s", When: "every 1m"}},
	} {
		if err := sqlite.Repeat(c.ctx, f, c.w, c.s, 0); !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: got %v", reason, err)
		}
	}
	if err := sqlite.Repeat(t.Context(), nil, lasting, sqlite.Schedule{}, 0); !errors.Is(err, fault.InvalidRequest) {
		t.Errorf("no file: got %v", err)
	}
	closeFile(t, f)
}
