package sqlite_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
)

// A clock that is set back, while the program runs or while it is down, makes a limit neither longer nor shorter, and no event older
// than the one before it.
func TestClockGoesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	w := durable.New("waits", flow.Timeout(3*time.Hour, durable.Signal[int]("never")))
	synctest.Test(t, func(t *testing.T) {
		var back time.Duration
		options := sqlite.Options{}.With(func(h *sqlite.Hooks) { h.Wall = func() time.Time { return time.Now().Add(-back) } })
		f := openFile(t, path, options, w)
		if _, err := w.Start(t.Context(), f.Engine(), "a", struct{}{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		tick := func() { // so that the clock is read, and the history has an event of this time
			if err := f.Operator().Signal(t.Context(), "a", "tick", []byte("1")); err != nil {
				t.Error(err)
			}
		}
		tick()
		back = 12 * time.Hour
		tick()
		time.Sleep(time.Hour)
		tick()
		h, err := f.Operator().History(t.Context(), "a")
		if !slices.IsSortedFunc(h.Events, func(a, b sqlite.Event) int { return a.At.Compare(b.At) }) || len(h.Events) < 4 || err != nil {
			t.Errorf("the history is %+v, %v", h.Events, err)
		}
		closeFile(t, f)
		back = 24 * time.Hour
		f = openFile(t, path, options, w)
		began := time.Now()
		if _, err := w.Attach(f.Engine(), "a").Wait(t.Context()); !errors.Is(err, fault.Timeout) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != time.Hour {
			t.Errorf("the limit has passed after %v more", took)
		}
		closeFile(t, f)
	})
}
