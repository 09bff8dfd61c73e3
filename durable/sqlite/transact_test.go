package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
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

func newTable(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.ExecContext(t.Context(), "CREATE TABLE paid (n INTEGER)")
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func paidRows(t *testing.T, path string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err == nil {
		err = db.QueryRowContext(t.Context(), "SELECT count(*) FROM paid").Scan(&n)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return n
}

func pay(ctx context.Context, tx *sqlite.Tx, n int) (int, error) {
	_, err := tx.ExecContext(ctx, "INSERT INTO paid VALUES (?)", n)
	return n + 1, err
}

// The power fails after each of the commits. The effects have happened once in the end.
func TestTransactOnce(t *testing.T) {
	for after := int64(1); after <= 8; after++ {
		path := filepath.Join(t.TempDir(), "app.db")
		newTable(t, path)
		w := durable.New("pays", flow.Chain(sqlite.Transact(pay), sqlite.Transact(pay), sqlite.Transact(pay)))
		synctest.Test(t, func(t *testing.T) {
			options, _, dead := killedAfter(after)
			f := openFile(t, path, options, w)
			ctx, cancel := untilDead(t, dead)
			run, err := w.Start(ctx, f.Engine(), "p", 1)
			if err == nil {
				_, _ = run.Wait(ctx)
			}
			cancel()
			synctest.Wait()
			closeFile(t, f)
			f = openFile(t, path, sqlite.Options{}, w)
			if run, err = w.Start(t.Context(), f.Engine(), "p", 1); err != nil {
				t.Fatal(err)
			}
			if out, err := run.Wait(t.Context()); out != 4 || err != nil {
				t.Errorf("got %d, %v", out, err)
			}
			closeFile(t, f)
		})
		if n := paidRows(t, path); n != 3 {
			t.Errorf("killed after %d commits: there are %d rows, want 3", after, n)
		}
	}
}

func TestTransactFails(t *testing.T) {
	errPoor := errors.New("no money")
	for reason, c := range map[string]struct {
		body func(ctx context.Context, tx *sqlite.Tx, n int) error
		want error
		text string
	}{
		"an error":            {func(context.Context, *sqlite.Tx, int) error { return errPoor }, errPoor, "no money"},
		"a panic":             {func(context.Context, *sqlite.Tx, int) error { panic("boom") }, fault.InternalError, "boom"},
		"a commit":            {execute("COMMIT"), nil, "not authorized"},
		"a rollback":          {execute("ROLLBACK"), nil, "not authorized"},
		"its own savepoint":   {execute("SAVEPOINT mine"), nil, "not authorized"},
		"the history":         {execute("DELETE FROM durable_history"), nil, "not authorized"},
		"an index":            {execute("DROP INDEX durable_wake"), nil, "not authorized"},
		"a trigger":           {execute("CREATE TRIGGER mine AFTER INSERT ON durable_history BEGIN SELECT 1; END"), nil, "not authorized"},
		"a temporary trigger": {execute("CREATE TEMP TRIGGER mine AFTER INSERT ON durable_history BEGIN SELECT 1; END"), nil, "not authorized"},
		"a temporary table":   {execute("CREATE TEMP TABLE durable_history (n)"), nil, "not authorized"},
		"a temporary view":    {execute("CREATE TEMP VIEW durable_runs AS SELECT 1"), nil, "not authorized"},
		"a table of its name": {execute("CREATE TABLE durable_more (n)"), nil, "not authorized"},
		"a view of its name":  {execute("CREATE VIEW durable_more AS SELECT 1"), nil, "not authorized"},
		"another name":        {execute("ALTER TABLE durable_runs RENAME TO mine"), nil, "not authorized"},
		"a broken rule":       {execute("INSERT INTO paid VALUES (1, 2)"), nil, "paid"},
	} {
		t.Run(reason, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "app.db")
			newTable(t, path)
			w := durable.New("pays", sqlite.Transact(func(ctx context.Context, tx *sqlite.Tx, n int) (int, error) {
				if _, err := pay(ctx, tx, n); err != nil {
					return 0, err
				}
				return 0, c.body(ctx, tx, n)
			}), durable.Errors(map[string]error{"poor": errPoor}))
			f := openFile(t, path, sqlite.Options{}, w)
			defer closeFile(t, f)
			run, err := w.Start(t.Context(), f.Engine(), "p", 1)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = run.Wait(t.Context()); err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v", err)
			}
			if n := paidRows(t, path); n != 0 {
				t.Errorf("there are %d rows", n)
			}
		})
	}
}

// One of the statements of the body has rolled the transaction back. Later ones leave nothing behind.
func TestTransactRolledBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	newTable(t, path)
	w := durable.New("pays", sqlite.Transact(func(ctx context.Context, tx *sqlite.Tx, n int) (int, error) {
		if _, err := tx.ExecContext(ctx, "CREATE TABLE once (n PRIMARY KEY); INSERT INTO once VALUES (1)"); err != nil {
			return 0, err
		}
		if _, err := tx.ExecContext(ctx, "INSERT OR ROLLBACK INTO once VALUES (1)"); err == nil {
			return 0, errors.New("no conflict")
		}
		_, err := pay(ctx, tx, n)
		return 0, err
	}))
	var told reports
	f := openFile(t, path, sqlite.Options{OnError: told.add}.With(func(h *sqlite.Hooks) { h.Pause = time.Millisecond }), w)
	defer closeFile(t, f)
	run, err := w.Start(t.Context(), f.Engine(), "p", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = run.Wait(t.Context()); err == nil {
		t.Error("the run has succeeded")
	}
	if n := paidRows(t, path); n != 0 {
		t.Errorf("there are %d rows of a body that has failed", n)
	}
}

// The ops that are written in the same transaction are written all the same, and nothing is reported.
func TestTransactRolledBackBesideAStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		gate, held, hold := make(chan struct{}), make(chan struct{}), make(chan struct{})
		waits := durable.New("waits", flow.Named("n", step.Await(func(_ context.Context, n int) (int, error) { <-gate; return n, nil })))
		holds := durable.New("holds", sqlite.Transact(func(_ context.Context, _ *sqlite.Tx, n int) (int, error) { close(held); <-hold; return n, nil }))
		undoes := durable.New("undoes", flow.Named("n", sqlite.Transact(func(ctx context.Context, tx *sqlite.Tx, n int) (int, error) {
			_, err := tx.ExecContext(ctx, "CREATE TABLE once (n PRIMARY KEY); INSERT INTO once VALUES (1); INSERT OR ROLLBACK INTO once VALUES (1)")
			return n, err
		})))
		other := durable.New("other", step.Map(func(n int) int { return n }))
		f := openFile(t, path, sqlite.Options{Limits: map[string]int{"n": 1}}, waits, holds, undoes, other)
		defer closeFile(t, f)
		for _, w := range []*durable.Workflow[int, int]{waits, undoes, holds} {
			if _, err := w.Start(t.Context(), f.Engine(), w.Name(), 1); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		<-held
		close(gate) // lets in the body of undoes, while the writer waits for that of holds
		synctest.Wait()
		started := make(chan error)
		go func() {
			_, err := other.Start(t.Context(), f.Engine(), "other", 1)
			started <- err
		}()
		synctest.Wait()
		close(hold)
		if err := <-started; err != nil {
			t.Errorf("the start of another run: %v", err)
		}
		if _, err := undoes.Attach(f.Engine(), "undoes").Wait(t.Context()); !errors.Is(err, fault.InternalError) {
			t.Errorf("got %v", err)
		}
	})
}

func execute(statement string) func(ctx context.Context, tx *sqlite.Tx, n int) error {
	return func(ctx context.Context, tx *sqlite.Tx, _ int) error {
		_, err := tx.ExecContext(ctx, statement)
		return err
	}
}

// A body that waits for the file would wait for itself, and is refused. A Tx can't be used after its body.
func TestTransactMisused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	newTable(t, path)
	var f *sqlite.File
	var kept *sqlite.Tx
	other := durable.New("other", step.Map(func(n int) int { return n }))
	var w *durable.Workflow[int, int]
	w = durable.New("pays", sqlite.Transact(func(ctx context.Context, tx *sqlite.Tx, n int) (int, error) {
		kept = tx
		if _, err := w.Attach(f.Engine(), "p").Wait(ctx); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("a wait: %v", err)
		}
		if err := errors.Join(f.Close(ctx), f.Shutdown(ctx)); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("a close: %v", err)
		}
		_, err := other.Start(ctx, f.Engine(), "o", n)
		return n, err
	}))
	f = openFile(t, path, sqlite.Options{}, w, other)
	run, err := w.Start(t.Context(), f.Engine(), "p", 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = run.Wait(t.Context()); !errors.Is(err, fault.InvalidRequest) {
		t.Errorf("got %v", err)
	}
	if _, err = kept.ExecContext(t.Context(), "SELECT 1"); !errors.Is(err, sql.ErrTxDone) {
		t.Errorf("got %v", err)
	}
	var one int
	if err = kept.QueryRowContext(t.Context(), "SELECT 1").Scan(&one); !errors.Is(err, sql.ErrTxDone) {
		t.Errorf("got %v", err)
	}
	closeFile(t, f)
	_, err = flow.Run(t.Context(), sqlite.Transact(pay), 1)
	if !errors.Is(err, fault.InternalError) {
		t.Errorf("without a file: got %v", err)
	}
}

// A plan that a body starts isn't a run on the file. Its result was taken for that of the body.
func TestTransactInBody(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	newTable(t, path)
	inner := flow.Then(sqlite.Transact(pay), step.Map(func(n int) int { return n * 100 }))
	run := func(ctx context.Context, n int) (int, error) { return flow.Run(ctx, inner, n) }
	outer := map[string]step.Step[int, int]{
		"await":    step.Await(run),
		"transact": sqlite.Transact(func(ctx context.Context, _ *sqlite.Tx, n int) (int, error) { return run(ctx, n) }),
	}
	for name, body := range outer {
		t.Run(name, func(t *testing.T) {
			w := durable.New("w", flow.Then(body, step.Delay[int](10*time.Millisecond)))
			f := openFile(t, path, sqlite.Options{}, w)
			defer closeFile(t, f)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			run, err := w.Start(ctx, f.Engine(), name, 1)
			if err != nil {
				t.Fatal(err)
			}
			if out, err := run.Wait(ctx); !errors.Is(err, fault.InternalError) {
				t.Errorf("got %d, %v", out, err)
			}
		})
	}
	if n := paidRows(t, path); n != 0 {
		t.Errorf("there are %d rows", n)
	}
}

// A body that leaves rows open doesn't keep its result from being written, nor the file from being used and closed.
func TestTransactLeavesRowsOpen(t *testing.T) {
	errTold := errors.New("told so")
	const inserts = "INSERT INTO paid VALUES (1), (2), (3) RETURNING n"
	rows := func(query string, look func(rows *sql.Rows) error) func(ctx context.Context, tx *sqlite.Tx) error {
		return func(ctx context.Context, tx *sqlite.Tx) error {
			rows, err := tx.QueryContext(ctx, query) //nolint:rowserrcheck // that is the mistake
			if err == nil && rows.Next() {
				err = look(rows)
			}
			return err
		}
	}
	nothing := func(*sql.Rows) error { return nil }
	row := func(query string) func(ctx context.Context, tx *sqlite.Tx) error {
		return func(ctx context.Context, tx *sqlite.Tx) error { return tx.QueryRowContext(ctx, query).Err() }
	}
	for _, tt := range []struct {
		name   string
		leaves func(ctx context.Context, tx *sqlite.Tx) error
		paid   int // how many rows are added to the table
	}{
		{"rows that were read", rows("SELECT 1 UNION ALL SELECT 2", nothing), 1},
		{"a row that was read", row("SELECT 1 UNION ALL SELECT 2"), 1},
		{"rows that were inserted", rows(inserts, nothing), 4},
		{"a row that was inserted", row(inserts), 4},
		{"rows whose bytes are held", rows(inserts, func(rows *sql.Rows) error {
			var n sql.RawBytes
			return rows.Scan(&n)
		}), 4},
		{"rows of a body that fails", rows(inserts, func(*sql.Rows) error { return errTold }), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "app.db")
			newTable(t, path)
			w := durable.New("pays", sqlite.Transact(func(ctx context.Context, tx *sqlite.Tx, n int) (int, error) {
				if err := tt.leaves(ctx, tx); err != nil {
					return 0, err
				}
				return pay(ctx, tx, n)
			}), durable.Errors(map[string]error{"told": errTold}))
			f := openFile(t, path, sqlite.Options{OnError: func(err error) { t.Error(err) }}, w)
			for _, id := range []string{"a", "b"} {
				run, err := w.Start(t.Context(), f.Engine(), id, 1)
				if err != nil {
					t.Fatal(err)
				}
				out, err := run.Wait(t.Context())
				if fails := tt.paid == 0; !fails && (out != 2 || err != nil) || fails && !errors.Is(err, errTold) {
					t.Errorf("got %d, %v", out, err)
				}
			}
			closeFile(t, f)
			if n := paidRows(t, path); n != 2*tt.paid {
				t.Errorf("there are %d rows", n)
			}
		})
	}
}
