package sqlite_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
)

// Somebody has edited the rows of the run. It stands still and says why. Nothing panics, and others go on.
func TestEdited(t *testing.T) {
	w := durable.New("waits", durable.Signal[string]("go"))
	for statement, says := range map[string]string{
		"DELETE FROM durable_history WHERE run = 1":                                                               "doesn't begin with a start",
		"UPDATE durable_history SET sum = NULL, kind = 5 WHERE run = 1":                                           "doesn't begin with a start",
		"UPDATE durable_history SET sum = NULL, kind = 6 WHERE run = 1":                                           "doesn't begin with a start",
		"UPDATE durable_history SET sum = NULL, kind = 99 WHERE run = 1":                                          "the kind 99",
		"UPDATE durable_history SET sum = NULL, kind = -1 WHERE run = 1":                                          "the kind -1",
		"INSERT INTO durable_history SELECT 100, run, at, 9, NULL, data, NULL FROM durable_history WHERE run = 1": "the end of the run",
		"INSERT INTO durable_history SELECT 100, run, at, 1, name, data, NULL FROM durable_history WHERE run = 1": "a second start",
		"UPDATE durable_runs SET plan = 999 WHERE run = 1":                                                        "its plan is missing",
	} {
		t.Run(statement, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "app.db")
			synctest.Test(t, func(t *testing.T) {
				f := openFile(t, path, sqlite.Options{}, w)
				for _, id := range []string{"edited", "other"} {
					if _, err := w.Start(t.Context(), f.Engine(), id, struct{}{}); err != nil {
						t.Fatal(err)
					}
				}
				closeFile(t, f)
				change(t, path, statement)
				var told reports
				f = openFile(t, path, sqlite.Options{OnError: told.add}, w)
				defer closeFile(t, f)
				if _, err := w.Attach(f.Engine(), "edited").Place(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
					t.Errorf("its place: %v", err)
				}
				time.Sleep(time.Second) // the reason is written
				if info, err := f.Operator().Run(t.Context(), "edited"); err != nil || info.State != sqlite.StandsStill {
					t.Errorf("it is %+v, %v", info, err)
				}
				if !told.has("run edited stands still", says) {
					t.Errorf("reported: %q", told.all)
				}
				history, err := f.Operator().History(t.Context(), "edited")
				if err != nil {
					t.Error(err)
				}
				_ = sqlite.Replay(w, history) // it may fail, and doesn't panic
				other := w.Attach(f.Engine(), "other")
				if err := durable.Send(t.Context(), other, "go", "on"); err != nil {
					t.Error(err)
				}
				if out, err := other.Wait(t.Context()); out != "on" || err != nil {
					t.Errorf("another run: %q, %v", out, err)
				}
			})
		})
	}
}

func TestEditedVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	closeFile(t, openFile(t, path, sqlite.Options{}, orders))
	change(t, path, "UPDATE durable_meta SET value = '-5' WHERE name = 'schema'")
	if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}, orders); !errors.Is(err, fault.InvalidRequest) {
		t.Errorf("got %v", err)
	}
}

// A time zone without a schedule is refused, also in a row of the file.
func TestScheduleOfNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	w := durable.New("waits", durable.Signal[string]("go"))
	var told reports
	f := openFile(t, path, sqlite.Options{OnError: told.add}, w)
	for _, when := range []string{"TZ=UTC", "CRON_TZ=UTC", "CRON_TZ= ", "TZ=UTC @daily", ""} {
		if err := sqlite.Repeat(t.Context(), f, w, sqlite.Schedule{Name: "s", When: when}, struct{}{}); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("%q: got %v", when, err)
		}
	}
	closeFile(t, f)
	change(t, path, "INSERT INTO durable_schedules VALUES ('s', 'waits', 'TZ=UTC', 'skip', 0, '{}', 0, 0, NULL)")
	f = openFile(t, path, sqlite.Options{OnError: told.add}, w)
	if all, err := f.Operator().Schedules(t.Context()); !errors.Is(err, fault.InvalidRequest) {
		t.Errorf("got %v, %v", all, err)
	}
	closeFile(t, f)
}
