package sqlite_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
)

// Those who waited have left with the error. That the file can be written again is reported all the same.
func TestToldThatItCanBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		var told reports
		w := durable.New("waits", durable.Signal[string]("go"))
		f := openFile(t, path, sqlite.Options{OnError: told.add}, w)
		defer closeFile(t, f)
		f.ReadOnly(t, true)
		if _, err := w.Start(t.Context(), f.Engine(), "a", struct{}{}); err == nil || !told.has("can't be written") {
			t.Errorf("got %v, and reported %q", err, told.all)
		}
		time.Sleep(10 * time.Second) // nothing is left to try
		f.ReadOnly(t, false)
		if _, err := w.Start(t.Context(), f.Engine(), "b", struct{}{}); err != nil || !told.has("can be written again") {
			t.Errorf("got %v, and reported %q", err, told.all)
		}
	})
}
