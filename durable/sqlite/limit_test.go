package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The limit is for all runs of all workflows, also after a restart. Calls that wait for it are let in in their order.
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
			time.Sleep(time.Second) // so that places become free one after the other
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

// A call that waits for its key takes no place of the limit for all.
func TestKeyLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		type delivery struct{ Tenant, ID string }
		var mu sync.Mutex
		var order []string
		inside, most := make(map[string]int), make(map[string]int)
		count := func(d delivery, n int) {
			mu.Lock()
			defer mu.Unlock()
			for _, key := range []string{d.Tenant, "all"} {
				inside[key] += n
				most[key] = max(most[key], inside[key])
			}
			if n > 0 {
				order = append(order, d.ID)
			}
		}
		deliver := flow.Named("deliver", step.Await(func(ctx context.Context, d delivery) (string, error) {
			count(d, 1)
			defer count(d, -1)
			select {
			case <-time.After(time.Minute):
				return d.ID, nil
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
		}))
		w := durable.New("webhooks", deliver)
		f := openFile(t, path, sqlite.Options{
			Limits: map[string]int{"deliver": 3},
			KeyLimits: map[string]sqlite.KeyLimit{"deliver": sqlite.PerKey(2, func(d delivery) string {
				if d.Tenant == "" {
					panic("no tenant")
				}
				return d.Tenant
			})},
		}, w)
		var runs []durable.Run[string]
		for _, id := range []string{"a1", "a2", "a3", "a4", "b1", "b2", "c1"} {
			r, err := w.Start(t.Context(), f.Engine(), id, delivery{id[:1], id})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			runs = append(runs, r)
		}
		if got := strings.Join(order, " "); got != "a1 a2 b1" { // a3 waits, and takes no place from b1
			t.Errorf("called %s", got)
		}
		if err := runs[2].Cancel(t.Context()); err != nil { // a3 waits for its key
			t.Error(err)
		}
		for i, r := range runs {
			if _, err := r.Wait(t.Context()); (err != nil) != (i == 2) {
				t.Errorf("run %d: %v", i, err)
			}
		}
		if len(order) != 6 || slices.Contains(order, "a3") {
			t.Errorf("called %v", order)
		}
		if most["a"] != 2 || most["all"] != 3 {
			t.Errorf("at once: %v", most)
		}
		bad, err := w.Start(t.Context(), f.Engine(), "bad", delivery{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bad.Wait(t.Context()); fault.CodeOf(err) != fault.InternalError || !strings.Contains(err.Error(), "no tenant") {
			t.Errorf("a key that panics: %v", err)
		}
		if left := f.Places(); left != 0 {
			t.Errorf("%d places are left", left)
		}
		closeFile(t, f)
	})
}

func TestNoKeyLimit(t *testing.T) {
	w := durable.New("one", flow.Named("charge", step.Await(func(context.Context, int) (int, error) { return 0, nil })))
	for reason, l := range map[string]sqlite.KeyLimit{
		"other inputs": sqlite.PerKey(1, func(string) string { return "" }),
		"nothing":      {},
		"no function":  sqlite.PerKey[int](1, nil),
		"below one":    sqlite.PerKey(0, func(int) string { return "" }),
	} {
		options := sqlite.Options{KeyLimits: map[string]sqlite.KeyLimit{"charge": l}}
		if _, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "app.db"), options, w); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("%s: got %v", reason, err)
		}
	}
	options := sqlite.Options{KeyLimits: map[string]sqlite.KeyLimit{"charge": sqlite.PerKey(1, func(int) string { return "" })}}
	f, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "app.db"), options, w)
	if err != nil {
		t.Fatal(err)
	}
	closeFile(t, f)
}

func TestNoLimit(t *testing.T) {
	w := durable.New("one", flow.Named("wait", step.Delay[int](time.Second)))
	for name, most := range map[string]int{"charge": 1, "wait": 1, "": 0} {
		if _, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "app.db"), sqlite.Options{Limits: map[string]int{name: most}}, w); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("%q: got %v", name, err)
		}
	}
}
