package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var relaxable = durable.New("relaxable", flow.Chain(
	bookingBody("a"),
	step.Await(func(_ context.Context, s string) (string, error) { return s + " b", nil }),
	flow.Then(flow.Par2(bookingBody("c"), bookingBody("d")), both),
))

const relaxableEnds = " a b c a b d"

func TestRelaxedIsAsked(t *testing.T) {
	for relaxed, want := range map[bool]int{false: 2, true: 1} {
		f := openFile(t, filepath.Join(t.TempDir(), "app.db"), sqlite.Options{Relaxed: relaxed}, relaxable)
		if got := f.Synchronous(t); got != want {
			t.Errorf("relaxed %t: synchronous is %d, want %d", relaxed, got, want)
		}
		closeFile(t, f)
	}
}

// A power failure takes the file back to an earlier moment. The runs in it end all the same, and those that are missing are started
// again. Each transaction takes effect once.
func TestRelaxedPowerFailure(t *testing.T) {
	const runs = 20
	dir := t.TempDir()
	path := filepath.Join(dir, "app.db")
	change(t, path, "PRAGMA journal_mode = WAL; CREATE TABLE booked (key TEXT)")
	f := openFile(t, path, sqlite.Options{Relaxed: true}, relaxable)
	for i := range runs {
		relaxableRun(t, f, i)
	}
	db, log := read(t, path), read(t, path+"-wal") // the log holds all, as it is too short to be moved into the file
	closeFile(t, f)
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 12 {
		left := random.IntN(len(log) + 1)
		path := filepath.Join(dir, fmt.Sprintf("left-%d.db", n))
		write(t, path, db)
		write(t, path+"-wal", log[:left])
		f := openFile(t, path, sqlite.Options{}, relaxable)
		missing := runs - count(t, path, "SELECT count(*) FROM durable_runs WHERE outer IS NULL")
		for i := range runs {
			relaxableRun(t, f, i)
		}
		closeFile(t, f)
		t.Logf("%d of %d bytes left: %d runs were missing", left, len(log), missing)
		if rows, keys := count(t, path, "SELECT count(*) FROM booked"), count(t, path, "SELECT count(DISTINCT key) FROM booked"); rows != 3*runs || keys != 3*runs {
			t.Errorf("%d bytes left: %d effects of %d transactions, want %d", left, rows, keys, 3*runs)
		}
	}
}

// relaxableRun starts the run with number i, unless there is one, and waits for its end.
func relaxableRun(t *testing.T, f *sqlite.File, i int) {
	t.Helper()
	run, err := relaxable.Start(t.Context(), f.Engine(), fmt.Sprintf("run-%d", i), "")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := run.Wait(t.Context()); err != nil || out != relaxableEnds {
		t.Errorf("run %d: got %q, %v", i, out, err)
	}
}

func count(t *testing.T, path, query string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if err = errors.Join(db.QueryRowContext(t.Context(), query).Scan(&n), db.Close()); err != nil {
		t.Fatal(err)
	}
	return n
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
