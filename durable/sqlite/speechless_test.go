package sqlite_test

import (
	"context"
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
