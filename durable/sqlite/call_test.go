package sqlite_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
)

func TestTakenID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{}, enginetest.Asks, enginetest.Calls)
		enginetest.WantTaken(t, f.Engine())
		closeFile(t, f)
	})
}
