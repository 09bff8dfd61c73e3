package sqlite_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/step"
)

// Retry and Signal fail on a run that has ended, Cancel leaves it as it is: in the program that has the file, in another one, and
// while none has it.
func TestRequestsToEndedRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		fails := durable.New("fails", step.Await(func(context.Context, int) (int, error) { return 0, errors.New("no card") }))
		f, err := sqlite.Open(t.Context(), path, sqlite.Options{OnError: func(err error) { t.Error(err) }}, asks, fails)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = fails.Start(t.Context(), f.Engine(), "a", 1); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"b", "c"} {
			if _, err = asks.Start(t.Context(), f.Engine(), id, struct{}{}); err != nil {
				t.Fatal(err)
			}
		}
		inside, outside := f.Operator(), operate(t, path)
		if err = errors.Join(inside.Signal(t.Context(), "b", "n", json.RawMessage("1")), inside.Cancel(t.Context(), "c")); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		check := func(from string, o *sqlite.Operator) {
			t.Helper()
			for id, state := range map[string]sqlite.State{"a": sqlite.Failed, "b": sqlite.Succeeded, "c": sqlite.Cancelled} {
				if err := o.Retry(t.Context(), id); !errors.Is(err, sqlite.ErrEnded) || !strings.Contains(err.Error(), string(state)) || errors.Is(err, durable.ErrNoRun) {
					t.Errorf("%s: the retry of a run in the state %s: %v", from, state, err)
				}
				if err := o.Signal(t.Context(), id, "n", json.RawMessage("1")); !errors.Is(err, durable.ErrNoRun) {
					t.Errorf("%s: a signal to a run in the state %s: %v", from, state, err)
				}
				if err := o.Cancel(t.Context(), id); err != nil {
					t.Errorf("%s: the cancel of a run in the state %s: %v", from, state, err)
				}
				if info, err := o.Run(t.Context(), id); info.State != state || err != nil {
					t.Errorf("%s: %+v, %v", from, info, err)
				}
			}
		}
		check("the program", inside)
		check("another program", outside)
		closeFile(t, f)
		check("no program", outside)
		if err = outside.Close(); err != nil {
			t.Error(err)
		}
	})
}
