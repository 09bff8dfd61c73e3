package sqlite_test

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/futoin-go/asyncsteps/durable/sqlite"
)

// Connections for reading are opened when they are needed, and the program has changed its folder by then.
func TestFolderChanges(t *testing.T) {
	t.Chdir(t.TempDir())
	f := openFile(t, "app.db", sqlite.Options{}, orders)
	t.Chdir(t.TempDir())
	if _, err := orders.Start(t.Context(), f.Engine(), "o", order{}); err != nil {
		t.Fatal(err)
	}
	for range 20 { // at once, so that each has a connection of its own
		next, stop := iter.Pull2(f.Operator().Runs(t.Context(), sqlite.Query{}))
		defer stop()
		if info, err, _ := next(); info.ID != "o" || err != nil {
			t.Errorf("got %q, %v", info.ID, err)
		}
	}
	closeFile(t, f)
}

// The link was there before the file.
func TestLinkBeforeFile(t *testing.T) {
	folder, data := t.TempDir(), t.TempDir()
	first, second := filepath.Join(folder, "app.db"), filepath.Join(folder, "link.db")
	if err := errors.Join(os.Symlink(filepath.Join(data, "real.db"), first), os.Symlink("app.db", second)); err != nil {
		t.Skip(err)
	}
	f := openFile(t, second, sqlite.Options{}, orders)
	for _, path := range []string{first, second, f.Path()} {
		if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}, orders); !errors.Is(err, sqlite.ErrInUse) {
			t.Errorf("%s: got %v", path, err)
		}
	}
	closeFile(t, f)
}

// Some paths have another meaning for SQLite.
func TestBackupPath(t *testing.T) {
	t.Chdir(t.TempDir())
	f := openFile(t, "app.db", sqlite.Options{}, orders)
	defer closeFile(t, f)
	if err := f.Backup(t.Context(), ""); err == nil {
		t.Error("there is a backup without a path")
	}
	for _, path := range []string{"file:copy.db", ":memory:", "a ?%20#.db"} {
		err := f.Backup(t.Context(), path)
		if _, missing := os.Stat(path); err != nil || missing != nil {
			t.Errorf("%s: %v, %v", path, err, missing)
		}
	}
}
