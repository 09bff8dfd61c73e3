package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// No more bodies of a name are called at once than the limit allows, by runs of all workflows, also after a restart; each is called, in the
// order of the steps.
func TestLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		at, most := make(chan int, 1), 0
		var order []string
		at <- 0
		body := func(ctx context.Context, n int) (int, error) {
			now := <-at + 1
			most = max(most, now)
			order = append(order, durable.Key(ctx))
			at <- now
			var err error
			select {
			case <-time.After(time.Minute):
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
			at <- <-at - 1
			return n + 1, err
		}
		charge := flow.Named("charge", step.Await(body))
		one, two := durable.New("one", charge), durable.New("two", flow.Then(charge, charge))
		options := sqlite.Options{Limits: map[string]int{"charge": 2}, Idle: time.Second}
		f := openFile(t, path, options, one, two)
		start := func(w *durable.Workflow[int, int], id string) durable.Run[int] {
			r, err := w.Start(t.Context(), f.Engine(), id, 0)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			return r
		}
		for i := range 4 {
			start(one, fmt.Sprint(i))
		}
		start(two, "t")
		left := start(one, "left")
		if err := left.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := left.Wait(t.Context()); !errors.Is(err, fault.Cancelled) {
			t.Errorf("a run that waits for its turn ends with %v", err)
		}
		time.Sleep(90 * time.Second)
		closeFile(t, f)
		slices.Sort(order[2:]) // these were let in at one moment
		if got, want := strings.Join(order, " "), "0/0#1 1/0#1 2/0#1 3/0#1"; got != want || most != 2 {
			t.Errorf("called %s, up to %d at once", got, most)
		}
		f = openFile(t, path, options, one, two)
		if n, err := two.Attach(f.Engine(), "t").Wait(t.Context()); n != 2 || err != nil {
			t.Errorf("got %d, %v", n, err)
		}
		for i := range 4 {
			if n, err := one.Attach(f.Engine(), fmt.Sprint(i)).Wait(t.Context()); n != 1 || err != nil {
				t.Errorf("got %d, %v", n, err)
			}
		}
		if most != 2 {
			t.Errorf("%d at once", most)
		}
		closeFile(t, f)
	})
}

// A limit below one, and one of a name that no body has, are refused.
func TestNoLimit(t *testing.T) {
	w := durable.New("one", flow.Named("wait", step.Delay[int](time.Second)))
	for name, most := range map[string]int{"charge": 1, "wait": 1, "": 0} {
		if _, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "app.db"), sqlite.Options{Limits: map[string]int{name: most}}, w); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("%q: got %v", name, err)
		}
	}
}
