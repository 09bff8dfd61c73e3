package sqlite_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/step"
)

// A run is looked at when its start has been committed, and comes to its end before the writer tells of the commit. It ends once.
func TestStartOfAKnownRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		w := durable.New("w", step.Map(func(n int) int { return n + 1 }))
		var run durable.Run[int]
		look := func() bool {
			_, _ = run.Place(t.Context()) // the first commit is that of the plan's
			time.Sleep(time.Nanosecond)
			return false
		}
		f := openFile(t, path, sqlite.Options{}.With(func(h *sqlite.Hooks) { h.Committed = look }), w)
		defer closeFile(t, f)
		run = w.Attach(f.Engine(), "r")
		if _, err := w.Start(t.Context(), f.Engine(), "r", 1); err != nil {
			t.Fatal(err)
		}
		if out, err := run.Wait(t.Context()); out != 2 || err != nil {
			t.Errorf("got %d, %v", out, err)
		}
		synctest.Wait()
		h, err := f.Operator().History(t.Context(), "r")
		if err != nil || len(h.Events) != 2 {
			t.Errorf("%v, %v", h.Events, err)
		}
	})
}
