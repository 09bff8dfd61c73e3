package sqlite_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
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

func TestOneOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	f := openFile(t, path, sqlite.Options{}, orders)
	if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}, orders); !errors.Is(err, sqlite.ErrInUse) {
		t.Errorf("got %v", err)
	}
	short, cancel := context.WithTimeoutCause(t.Context(), 150*time.Millisecond, errors.New("too long"))
	defer cancel()
	if _, err := sqlite.Open(short, path, sqlite.Options{Standby: true}, orders); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("got %v", err)
	}
	took := make(chan error)
	go func() {
		second, err := sqlite.Open(t.Context(), path, sqlite.Options{Standby: true}, orders)
		if err == nil {
			err = second.Close(t.Context())
		}
		took <- err
	}()
	closeFile(t, f)
	if err := <-took; err != nil {
		t.Error(err)
	}
}

func TestCannotOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	nameless := durable.New("", step.Map(func(n int) int { return n }))
	for reason, c := range map[string]struct {
		with []sqlite.Workflow
		file string
		text string
	}{
		"a broken workflow":   {[]sqlite.Workflow{nameless}, "", "has no name"},
		"two of one name":     {[]sqlite.Workflow{orders, orders}, "", "two workflows of the name orders"},
		"nil":                 {[]sqlite.Workflow{nil}, "", "a workflow is nil"},
		"a file of no kind":   {nil, strings.Repeat("this is no database ", 100), "not a database"},
		"a folder that isn't": {nil, "-", "unable to open"},
	} {
		at := path
		switch c.file {
		case "":
		case "-":
			at = filepath.Join(t.TempDir(), "none", "app.db")
		default:
			at = filepath.Join(t.TempDir(), "text")
			if err := os.WriteFile(at, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := sqlite.Open(t.Context(), at, sqlite.Options{}, c.with...); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v", reason, err)
		}
	}
	f := openFile(t, path, sqlite.Options{}, orders)
	closeFile(t, f)
	change(t, path, "UPDATE durable_meta SET value = '99' WHERE name = 'schema'")
	if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}, orders); err == nil || !strings.Contains(err.Error(), "schema has version 99") {
		t.Errorf("a newer schema: got %v", err)
	}
}

// change executes a statement on a file that isn't open.
func change(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.ExecContext(t.Context(), statement)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

type reports struct {
	mu  sync.Mutex
	all []string
}

func (r *reports) add(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, err.Error())
}

func (r *reports) has(parts ...string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := strings.Join(r.all, "\n")
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// The program has another plan, or none, or the history doesn't fit. The run says why, and other runs go on. It goes on too when
// all fits again.
func TestStandsStill(t *testing.T) {
	trim := flow.Named("trim", step.Await(func(_ context.Context, s string) (string, error) { return strings.TrimSpace(s), nil }))
	waits := flow.Then(flow.Carry(flow.Then(step.Map(func(string) struct{} { return struct{}{} }), durable.Signal[string]("go"))),
		step.Map(func(p flow.Pair[string, string]) string { return p.A + p.B }))
	plan := durable.New("plan", flow.Then(trim, waits))
	changed := durable.New("plan", flow.Then(flow.Named("more", trim), waits))
	for reason, c := range map[string]struct {
		with   []sqlite.Workflow
		change string
		mend   string
		says   []string
	}{
		"the plan has changed": {[]sqlite.Workflow{changed}, "", "", []string{"run a stands still", "the plan has changed since the run began", `"trim" → "more"`}},
		"there is no plan":     {nil, "", "", []string{"no workflow plan"}},
		"a result of another type": {
			[]sqlite.Workflow{plan}, "UPDATE durable_history SET sum = NULL, data = '{}' WHERE kind = 2", `UPDATE durable_history SET data = '"x"' WHERE kind = 2`,
			[]string{"the result of the call a/0#1", "doesn't fit any more"},
		},
		"a bit has flipped": {
			[]sqlite.Workflow{plan}, `UPDATE durable_history SET data = '"y"' WHERE kind = 2`, `UPDATE durable_history SET data = '"x"' WHERE kind = 2`,
			[]string{"event 2 of the history is damaged"},
		},
		"a result of no call": {
			[]sqlite.Workflow{plan}, "UPDATE durable_history SET sum = NULL, name = '/7#1' WHERE kind = 2", "UPDATE durable_history SET name = '/0#1' WHERE kind = 2",
			[]string{"the call a/7#1, which the plan doesn't make here"},
		},
	} {
		t.Run(reason, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "app.db")
			synctest.Test(t, func(t *testing.T) {
				f := openFile(t, path, sqlite.Options{}, plan)
				if _, err := plan.Start(t.Context(), f.Engine(), "a", " x "); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				closeFile(t, f)
				if c.change != "" {
					change(t, path, c.change)
				}
				var told reports
				f = openFile(t, path, sqlite.Options{OnError: told.add}, append([]sqlite.Workflow{orders}, c.with...)...)
				synctest.Wait()
				if !told.has(c.says...) {
					t.Errorf("reported: %q", told.all)
				}
				if _, err := plan.Attach(f.Engine(), "a").Place(t.Context()); err == nil || !strings.Contains(err.Error(), "stands still") {
					t.Errorf("its place: %v", err)
				}
				if err := durable.Send(t.Context(), plan.Attach(f.Engine(), "a"), "go", "!"); err != nil {
					t.Errorf("a signal is kept meanwhile: %v", err)
				}
				if run, err := orders.Start(t.Context(), f.Engine(), "other", order{}); err != nil || durable.Send(t.Context(), run, "approval", approval{"Ann"}) != nil {
					t.Errorf("others: %v", err)
				}
				if out, err := orders.Attach(f.Engine(), "other").Wait(t.Context()); out != " other/0#1 by Ann" || err != nil {
					t.Errorf("others: got %q, %v", out, err)
				}
				closeFile(t, f)
				if c.mend != "" {
					change(t, path, c.mend)
				}
				f = openFile(t, path, sqlite.Options{}, plan, orders)
				if out, err := plan.Attach(f.Engine(), "a").Wait(t.Context()); out != "x!" || err != nil {
					t.Errorf("got %q, %v", out, err)
				}
				closeFile(t, f)
			})
		})
	}
}

// A run that came to a step before its patch was deployed repeats the former part, even if the body was still being called. Others
// execute the present one.
func TestPatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	said := func(what string) step.Step[string, string] {
		return flow.Named(what, step.Await(func(_ context.Context, s string) (string, error) { return s + " " + what, nil }))
	}
	hang := true
	ship := flow.Named("ship", step.Await(func(ctx context.Context, s string) (string, error) {
		if hang {
			<-ctx.Done()
			return "", ctx.Err()
		}
		return s + " shipped " + durable.Key(ctx), nil
	}))
	wait := flow.Named("wait", step.Delay[string](time.Hour))
	before := durable.New("parcels", flow.Chain(wait, ship, wait))
	after := durable.New("parcels", flow.Chain(wait, durable.Patch("wrap", ship, flow.Then(said("wrap"), ship)), wait))
	synctest.Test(t, func(t *testing.T) {
		start := func(w *durable.Workflow[string, string], f *sqlite.File, id string) {
			if _, err := w.Start(t.Context(), f.Engine(), id, id); err != nil {
				t.Fatal(err)
			}
		}
		f := openFile(t, path, sqlite.Options{}, before)
		start(before, f, "there")
		time.Sleep(time.Hour)
		start(before, f, "early")
		synctest.Wait()
		closeFile(t, f)
		hang = false
		for range 2 { // the decisions last
			f = openFile(t, path, sqlite.Options{}, after)
			start(after, f, "late")
			time.Sleep(70 * time.Minute)
			closeFile(t, f)
		}
		f = openFile(t, path, sqlite.Options{}, after)
		for id, want := range map[string]string{
			"there": "there shipped there/1#1", "early": "early wrap shipped early/1/patch.wrap/1#1", "late": "late wrap shipped late/1/patch.wrap/1#1",
		} {
			if out, err := after.Attach(f.Engine(), id).Wait(t.Context()); out != want || err != nil {
				t.Errorf("got %q, %v, want %q", out, err, want)
			}
		}
		closeFile(t, f)
	})
}

// On a full disk callers that wait get the error, and nothing is lost.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	begun, ends := make(chan struct{}), make(chan struct{})
	calls := 0
	w := durable.New("large", step.Await(func(_ context.Context, n int) (string, error) {
		calls++
		close(begun)
		<-ends
		return strings.Repeat("x", n), nil
	}))
	var told reports
	f := openFile(t, path, sqlite.Options{OnError: told.add}.With(func(h *sqlite.Hooks) { h.Pause = time.Millisecond }), w)
	run, err := w.Start(t.Context(), f.Engine(), "a", 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	f.Full(t, true)
	close(ends)
	for !told.has("can't be written", "full") {
		time.Sleep(time.Millisecond)
	}
	if _, err = w.Start(t.Context(), f.Engine(), "b", 1_000_000); err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("a start: %v", err)
	}
	f.Full(t, false)
	if out, err := run.Wait(t.Context()); len(out) != 1_000_000 || err != nil || calls != 1 {
		t.Errorf("got %d bytes, %v, after %d calls", len(out), err, calls)
	}
	if !told.has("can be written again") {
		t.Errorf("reported: %q", told.all)
	}
	closeFile(t, f)
}

func TestSleep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	wait := flow.Timeout(10*time.Hour, durable.Signal[int]("go"))
	w := durable.New("sleeps", wait)
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{Idle: time.Minute}, w)
		for _, id := range []string{"signal", "timer", "cancel", "restart"} {
			if _, err := w.Start(t.Context(), f.Engine(), id, struct{}{}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if n := f.InMemory(); n != 4 {
			t.Errorf("%d runs are in memory, want 4", n)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := f.InMemory(); n != 0 {
			t.Errorf("%d runs are in memory", n)
		}
		if err := durable.Send(t.Context(), w.Attach(f.Engine(), "signal"), "go", 7); err != nil {
			t.Error(err)
		}
		if out, err := w.Attach(f.Engine(), "signal").Wait(t.Context()); out != 7 || err != nil {
			t.Errorf("got %d, %v", out, err)
		}
		if err := w.Attach(f.Engine(), "cancel").Cancel(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := w.Attach(f.Engine(), "cancel").Wait(t.Context()); !errors.Is(err, fault.Cancelled) {
			t.Errorf("got %v", err)
		}
		if err := f.Operator().Signal(t.Context(), "restart", "other", []byte("7")); err != nil {
			t.Error(err)
		}
		closeFile(t, f)
		f = openFile(t, path, sqlite.Options{Idle: time.Minute}, w)
		synctest.Wait()
		for _, id := range []string{"timer", "restart"} {
			if _, err := w.Attach(f.Engine(), id).Wait(t.Context()); !errors.Is(err, fault.Timeout) {
				t.Errorf("%s: got %v", id, err)
			}
		}
		closeFile(t, f)
	})
}

// Runs that have ended are deleted by age and by number.
func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	w := durable.New("adds", step.Map(func(n int) int { return n + 1 }))
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{KeepFor: time.Hour, KeepRuns: 2}, w)
		for _, id := range []string{"a", "b", "c"} {
			run, err := w.Start(t.Context(), f.Engine(), id, 1)
			if err == nil {
				_, err = run.Wait(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		there := func(want ...string) {
			t.Helper()
			var got []string
			for _, id := range []string{"a", "b", "c"} {
				if _, err := w.Attach(f.Engine(), id).Wait(t.Context()); err == nil {
					got = append(got, id)
				}
			}
			if strings.Join(got, "") != strings.Join(want, "") {
				t.Errorf("there are %q, want %q", got, want)
			}
		}
		there("a", "b", "c")
		time.Sleep(2 * time.Minute)
		there("b", "c")
		time.Sleep(time.Hour)
		there()
		closeFile(t, f)
	})
}

// A signal that can't be decoded is reported, also if its run was out of memory when it came. Signals that were reported before
// that aren't reported again.
func TestDroppedSignalOfARunOutOfMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		var told reports
		f := openFile(t, path, sqlite.Options{Idle: time.Minute, OnError: told.add}, asks)
		if _, err := asks.Start(t.Context(), f.Engine(), "a", struct{}{}); err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			if err := f.Operator().Signal(t.Context(), "a", "n", json.RawMessage(`"word"`)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if len(told.all) != n+1 || !told.has("run a: the signal n is dropped") {
				t.Errorf("after %d signals: %q", n+1, told.all)
			}
			time.Sleep(time.Hour)
		}
		if _, err := asks.Start(t.Context(), f.Engine(), "a", struct{}{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(told.all) != 3 {
			t.Errorf("after another Start: %q", told.all)
		}
		closeFile(t, f)
	})
}
