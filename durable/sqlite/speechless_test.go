package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// speechlessError has a text that can't be had: its method Error ends the goroutine, or panics with an error of the same kind, which
// package fmt passes on.
type speechlessError struct{ panics bool }

func (e speechlessError) Error() string {
	if e.panics {
		panic(e)
	}
	runtime.Goexit()
	return ""
}

// The result of a speechlessValue can't be encoded, and the reason is a speechlessError.
type speechlessValue struct{ Panics bool }

func (v speechlessValue) MarshalJSON() ([]byte, error) { return nil, speechlessError{v.Panics} }

// A body whose error has no text fails its step. The run doesn't wait for ever, nor does the program end.
func TestSpeechlessErrors(t *testing.T) {
	fails := durable.New("fails", flow.Named("body", step.Await(func(_ context.Context, panics bool) (int, error) {
		return 0, speechlessError{panics}
	})))
	returns := durable.New("returns", flow.Named("body", step.Await(func(_ context.Context, panics bool) (speechlessValue, error) {
		return speechlessValue{panics}, nil
	})))
	f := openFile(t, filepath.Join(t.TempDir(), "app.db"), sqlite.Options{}, fails, returns)
	defer closeFile(t, f)
	for id, panics := range map[string]bool{"panics": true, "exits": false} {
		one, err := fails.Start(t.Context(), f.Engine(), id, panics)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = one.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "sqlite_test.speechlessError, whose text can't be had") {
			t.Errorf("got %v", err)
		}
		two, err := returns.Start(t.Context(), f.Engine(), "returns "+id, panics)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = two.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "whose text can't be had") {
			t.Errorf("got %v", err)
		}
	}
}

// failingDisk wraps an error of SQLite.
type failingDisk struct {
	speechlessError

	why error
}

func (e failingDisk) Unwrap() error { return e.why }

// The writer lives on when a body of Transact returns an error of the disk whose text can't be had.
func TestSpeechlessDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	newTable(t, path)
	change(t, path, "CREATE TABLE torn AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT i, printf('%0200d', 7) AS x FROM n")
	zeroPage(t, path, strings.Repeat("0", 199)+"7")
	w := durable.New("sums", sqlite.Transact(func(ctx context.Context, tx *sqlite.Tx, _ int) (sum int, err error) {
		if err = tx.QueryRowContext(ctx, "SELECT sum(length(x)) FROM torn").Scan(&sum); err != nil {
			err = failingDisk{why: err}
		}
		return sum, err
	}))
	told := make(chan error, 10)
	f := openFile(t, path, sqlite.Options{OnError: func(err error) { told <- err }}, w)
	for n := range 2 {
		if _, err := w.Start(t.Context(), f.Engine(), fmt.Sprint(n), 1); err != nil {
			t.Fatal(err)
		}
		if err := <-told; !strings.Contains(err.Error(), "stands still") || !strings.Contains(err.Error(), "failingDisk, whose text can't be had") {
			t.Errorf("reported: %v", err)
		}
	}
	closeFile(t, f)
}
