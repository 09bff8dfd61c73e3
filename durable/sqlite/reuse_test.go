package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/step"
)

// The body returns after its run was deleted. Its result isn't given to a run that has begun since then.
func TestLateResultOfDeletedRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	w := durable.New("slow", step.Await(func(_ context.Context, d time.Duration) (string, error) {
		time.Sleep(d) // it doesn't look at its context
		return d.String(), nil
	}), durable.Grace(time.Second))
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{KeepFor: time.Second, OnError: func(error) {}}, w)
		first, err := w.Start(t.Context(), f.Engine(), "first", 10*time.Minute)
		if err == nil {
			err = first.Cancel(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if _, err = first.Wait(t.Context()); err == nil {
			t.Error("the run is still there")
		}
		second, err := w.Start(t.Context(), f.Engine(), "second", 20*time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := second.Wait(t.Context()); out != "20m0s" || err != nil {
			t.Errorf("got %q, %v", out, err)
		}
		closeFile(t, f)
	})
}
