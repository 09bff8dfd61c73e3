package sqlite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The torn page stops the runs that have data on it, and no others. None has a wrong result.
func TestTornPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	fill := flow.Named("fill", step.Await(func(_ context.Context, n int) (string, error) { return strings.Repeat("x", n), nil }))
	asked := flow.Then(step.Map(func(string) struct{} { return struct{}{} }), durable.Signal[string]("go"))
	w := durable.New("long", flow.Then(fill, flow.Then(flow.Carry(asked), step.Map(func(p flow.Pair[string, string]) string {
		return fmt.Sprint(len(p.A), p.B)
	}))))
	const runs, size = 20, 9000
	f := openFile(t, path, sqlite.Options{}, w)
	for n := range runs {
		if _, err := w.Start(t.Context(), f.Engine(), fmt.Sprint(n), size+n); err != nil {
			t.Fatal(err)
		}
	}
	for n := range runs { // each waits for its signal
		for place := ""; !strings.Contains(place, "go"); {
			var err error
			if place, err = w.Attach(f.Engine(), fmt.Sprint(n)).Place(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	closeFile(t, f)
	zeroPage(t, path, strings.Repeat("x", 4000))
	var told reports
	f = openFile(t, path, sqlite.Options{OnError: told.add}, w)
	well := 0
	for n := range runs {
		run := w.Attach(f.Engine(), fmt.Sprint(n))
		if err := durable.Send(t.Context(), run, "go", "!"); err != nil {
			t.Errorf("run %d: %v", n, err)
		}
		if _, err := run.Place(t.Context()); err != nil {
			if !strings.Contains(err.Error(), "stands still") {
				t.Errorf("run %d: %v", n, err)
			}
			continue
		}
		well++
		if out, err := run.Wait(t.Context()); out != fmt.Sprint(size+n, "!") || err != nil {
			t.Errorf("run %d: got %q, %v", n, out, err)
		}
	}
	if well != runs-1 || !told.has("stands still") {
		t.Errorf("%d of %d runs have gone on; reported: %q", well, runs, told.all)
	}
	closeFile(t, f)
}

// zeroPage writes zeros over the page in which text first begins.
func zeroPage(t *testing.T, path, text string) {
	t.Helper()
	const page = 4096
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte(text))
	if at < 0 {
		t.Fatal("no page has the text")
	}
	clear(data[at/page*page : at/page*page+page])
	if err = os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Nothing is lost, and runs go on when the file can be written again.
func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	ends := make(chan struct{})
	w := durable.New("waits", step.Await(func(_ context.Context, n int) (int, error) {
		<-ends
		return n + 1, nil
	}))
	var told reports
	f := openFile(t, path, sqlite.Options{OnError: told.add}.With(func(h *sqlite.Hooks) { h.Pause = time.Millisecond }), w)
	run, err := w.Start(t.Context(), f.Engine(), "a", 1)
	if err != nil {
		t.Fatal(err)
	}
	f.ReadOnly(t, true)
	close(ends)
	for !told.has("can't be written", "readonly") {
		time.Sleep(time.Millisecond)
	}
	f.ReadOnly(t, false)
	if out, err := run.Wait(t.Context()); out != 2 || err != nil {
		t.Errorf("got %d, %v", out, err)
	}
	closeFile(t, f)
	if _, err = sqlite.Open(t.Context(), path, sqlite.Options{}.With(func(h *sqlite.Hooks) { h.ReadOnly = true }), w); err == nil || !strings.Contains(err.Error(), "readonly") {
		t.Errorf("a file that can't be written was opened: %v", err)
	}
}

// The copy holds all runs, and they go on in it.
func TestBackup(t *testing.T) {
	path, copied := filepath.Join(t.TempDir(), "app.db"), filepath.Join(t.TempDir(), "copy.db")
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{}, orders)
		for n := range 10 {
			if _, err := orders.Start(t.Context(), f.Engine(), fmt.Sprint(n), order{Item: "cup"}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if err := f.Backup(t.Context(), copied); err != nil {
			t.Fatal(err)
		}
		if err := f.Backup(t.Context(), copied); err == nil {
			t.Error("a backup has replaced another one")
		}
		closeFile(t, f)
		if err := f.Backup(t.Context(), copied+"2"); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("of a closed file: %v", err)
		}
		f = openFile(t, copied, sqlite.Options{}, orders)
		for n := range 10 {
			run := orders.Attach(f.Engine(), fmt.Sprint(n))
			err := durable.Send(t.Context(), run, "approval", approval{"Ann"})
			if out, failed := run.Wait(t.Context()); out != fmt.Sprintf("cup %d/0#1 by Ann", n) || err != nil || failed != nil {
				t.Errorf("got %q, %v, %v", out, err, failed)
			}
		}
		closeFile(t, f)
	})
}

func TestOneOwnerByLink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	closeFile(t, openFile(t, path, sqlite.Options{}, orders))
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	f := openFile(t, path, sqlite.Options{}, orders)
	if _, err := sqlite.Open(t.Context(), link, sqlite.Options{}, orders); !errors.Is(err, sqlite.ErrInUse) {
		t.Errorf("got %v", err)
	}
	closeFile(t, f)
}

// While readable is set, decoding a panickingValue doesn't panic.
var readable bool

type panickingValue struct{ Writes, Reads bool }

func (v panickingValue) MarshalJSON() ([]byte, error) {
	if v.Writes {
		panic("no writing")
	}
	return fmt.Appendf(nil, "%v", v.Reads), nil
}

func (v *panickingValue) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &v.Reads); err != nil {
		return err
	}
	if v.Reads && !readable {
		panic("no reading")
	}
	return nil
}

type badError struct{}

func (badError) Error() string { panic("no text") }

func TestPanics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	makes := durable.New("makes", step.Await(func(_ context.Context, n int) (panickingValue, error) {
		if n == 3 {
			return panickingValue{}, badError{}
		}
		return panickingValue{n == 1, n == 2}, nil
	}))
	told := make(chan error, 1)
	f := openFile(t, path, sqlite.Options{OnError: func(err error) { told <- err; panic("no report") }}, makes)
	for n, want := range map[int]string{0: "", 1: "no writing", 3: "no text"} {
		run, err := makes.Start(t.Context(), f.Engine(), fmt.Sprint(n), n)
		if err != nil {
			t.Fatal(err)
		}
		_, err = run.Wait(t.Context())
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d: got %v, want %q", n, err, want)
		}
	}
	if _, err := makes.Start(t.Context(), f.Engine(), "2", 2); err != nil {
		t.Fatal(err)
	}
	if err := <-told; !strings.Contains(err.Error(), "run 2 stands still") || !strings.Contains(err.Error(), "no reading") {
		t.Errorf("got %v", err)
	}
	closeFile(t, f)
}

// The body was left, because its step has a grace, and returns when the run has begun anew. Its result is dropped.
func TestLeftBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		ends := make(chan struct{})
		slow := step.Await(func(_ context.Context, n int) (int, error) {
			if n == 0 {
				<-ends // the body ignores its context
			}
			return n + 1, nil
		})
		asked := flow.Then(step.Map(func(n int) struct{} { return struct{}{} }), durable.Signal[int]("n"))
		round := flow.Then(flow.Catch(flow.Timeout(time.Hour, slow), func(step.Scope, error) step.Next[int] { return step.Succeed(1) }),
			flow.Then(flow.Carry(asked), step.Map(func(p flow.Pair[int, int]) durable.Again[int] {
				return durable.Again[int]{In: p.A + p.B, More: p.B != 0}
			})))
		w := durable.New("rounds", round, durable.Grace(time.Minute))
		var told reports // has the report that the body was left
		f := openFile(t, path, sqlite.Options{OnError: told.add}, w)
		run, err := w.Start(t.Context(), f.Engine(), "r", 0)
		if err == nil {
			time.Sleep(2 * time.Hour)
			err = durable.Send(t.Context(), run, "n", 10)
		}
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if place, err := run.Place(t.Context()); !strings.Contains(place, "n\n") || err != nil {
			t.Errorf("it stands at %q, %v", place, err)
		}
		close(ends)
		synctest.Wait()
		if told.has("stands still") || !told.has("left a goroutine behind") {
			t.Errorf("reported: %q", told.all)
		}
		closeFile(t, f)
		f = openFile(t, path, sqlite.Options{}, w) // the history of the run has the result
		if err = durable.Send(t.Context(), w.Attach(f.Engine(), "r"), "n", 0); err != nil {
			t.Error(err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if out, err := w.Attach(f.Engine(), "r").Wait(short); out.In != 12 || err != nil {
			t.Errorf("got %v, %v", out, err)
		}
		closeFile(t, f)
	})
}

func TestManyStandStill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	old := durable.New("old", flow.Then(step.Delay[int](time.Hour), step.Map(func(n int) int { return n })))
	other := durable.New("other", flow.Then(step.Delay[int](61*time.Minute), step.Map(func(n int) int { return n })))
	synctest.Test(t, func(t *testing.T) {
		f := openFile(t, path, sqlite.Options{Idle: time.Minute}, old, other)
		_, err := old.Start(t.Context(), f.Engine(), "o", 1)
		if err == nil {
			_, err = other.Start(t.Context(), f.Engine(), "p", 2)
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		closeFile(t, f)
		change(t, path, `WITH RECURSIVE c (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM c WHERE i < 1500)
			INSERT INTO durable_runs (run, id, plan, body, began, wake) SELECT i, 'o' || i, plan, body, began, wake FROM c, durable_runs r WHERE r.id = 'o'`)
		var told atomic.Int64
		f = openFile(t, path, sqlite.Options{OnError: func(error) { told.Add(1) }}, other)
		short, cancel := context.WithTimeout(t.Context(), 57*time.Minute)
		defer cancel()
		if out, err := other.Attach(f.Engine(), "p").Wait(short); out != 2 || err != nil {
			t.Errorf("got %d, %v", out, err)
		}
		closeFile(t, f)
		if n := told.Load(); n != 1492 {
			t.Errorf("%d runs stand still, want 1492", n)
		}
	})
}

// The run stands still, and its body is called again after Retry.
func TestTransactOnTornPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	newTable(t, path)
	change(t, path, "CREATE TABLE torn AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT i, printf('%0200d', 7) AS x FROM n")
	zeroPage(t, path, strings.Repeat("0", 199)+"7")
	calls := 0
	w := durable.New("pays", sqlite.Transact(func(ctx context.Context, tx *sqlite.Tx, n int) (int, error) {
		if calls++; calls == 3 {
			return pay(ctx, tx, n)
		}
		var sum int
		return sum, tx.QueryRowContext(ctx, "SELECT sum(length(x)) FROM torn").Scan(&sum)
	}))
	told := make(chan error, 10)
	f := openFile(t, path, sqlite.Options{OnError: func(err error) { told <- err }}, w)
	run, err := w.Start(t.Context(), f.Engine(), "p", 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err = <-told; !strings.Contains(err.Error(), "run p stands still") || !strings.Contains(err.Error(), "malformed") {
			t.Errorf("reported: %v", err)
		}
		if _, err = run.Place(t.Context()); err == nil || !strings.Contains(err.Error(), "stands still") {
			t.Errorf("its place: %v", err)
		}
		if err = f.Operator().Retry(t.Context(), "p"); err != nil {
			t.Error(err)
		}
	}
	if _, err = run.Wait(t.Context()); err != nil || calls != 3 {
		t.Errorf("%v, after %d calls", err, calls)
	}
	closeFile(t, f)
}
