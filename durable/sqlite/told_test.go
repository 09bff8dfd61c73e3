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

// The run leaves memory and comes back before its loop reports something.
func TestToldAfterSleep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	w := durable.New("leaves", flow.Then(durable.Signal[int]("go"), step.Await(func(context.Context, int) (int, error) {
		time.Sleep(time.Minute) // it doesn't look at its context
		return 0, nil
	})), durable.Grace(time.Second))
	synctest.Test(t, func(t *testing.T) {
		var told reports
		f := openFile(t, path, sqlite.Options{OnError: told.add}, w)
		run, err := w.Start(t.Context(), f.Engine(), "a", struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		f.Asleep(t)
		if err = durable.Send(t.Context(), run, "go", 1); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err = run.Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err = run.Wait(t.Context()); err == nil {
			t.Error("the run has succeeded")
		}
		if !told.has("left a goroutine behind") {
			t.Errorf("reported: %q", told.all)
		}
		closeFile(t, f)
	})
}
