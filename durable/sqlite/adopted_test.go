package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// A run is loaded with a new plan, which can't be written for longer than a run that waits stays in memory. Its body is called once.
func TestPlanIsAdoptedLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		body := step.Await(func(_ context.Context, n int) (int, error) {
			calls++
			time.Sleep(time.Second)
			return n + 1, nil
		})
		day := step.Delay[int](24 * time.Hour)
		before := durable.New("w", flow.Chain(day, body, day))
		after := durable.New("w", flow.Chain(day, body, durable.Patch("p", day, step.Delay[int](time.Hour))))
		var told reports
		options := sqlite.Options{Idle: time.Minute, OnError: told.add}
		f := openFile(t, path, options, before)
		if _, err := before.Start(t.Context(), f.Engine(), "a", 1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		closeFile(t, f)
		f = openFile(t, path, options, after)
		run := after.Attach(f.Engine(), "a")
		synctest.Wait()
		f.ReadOnly(t, true)
		look := func() {
			t.Helper()
			if place, err := run.Place(t.Context()); err != nil {
				t.Fatal(place, err)
			}
		}
		look()
		time.Sleep(5 * time.Minute)
		f.ReadOnly(t, false)
		time.Sleep(10 * time.Second)
		look()
		out, err := run.Wait(t.Context())
		if out != 2 || err != nil || calls != 1 || told.has("stands still") {
			t.Errorf("got %d, %v after %d calls, reported %q", out, err, calls, told.all)
		}
		closeFile(t, f)
	})
}
