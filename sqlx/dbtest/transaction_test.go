//go:build unix

package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/sqlx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type kind struct {
	name     string
	open     func(t *testing.T) *sql.DB
	conflict func(error) bool
	options  *sql.TxOptions // needed for the database to report conflicts
}

func again[In, Out any](k kind, s step.Step[In, Out]) flow.Plan[In, Out] {
	policy := retry.Policy{Tries: -1, Pause: time.Millisecond, Factor: 2, MaxPause: 100 * time.Millisecond, Jitter: 1, If: k.conflict}
	return retry.Of(policy, s)
}

var kinds = []kind{
	{"SQLite", sqlite, sqlx.SQLiteBusy, nil},
	{"PostgreSQL", postgres, sqlx.PostgresConflict, &sql.TxOptions{Isolation: sql.LevelSerializable}},
}

// sqlite opens a database without the driver's own wait for locks, so that the tests see conflicts.
func sqlite(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "test.db")+"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(0)")
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	return db
}

// each runs a test for each kind of database, with a table of ten accounts of 100 each.
func each(t *testing.T, test func(t *testing.T, k kind, db *sql.DB)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			db := k.open(t)
			db.SetMaxOpenConns(4)
			statement(t, db, "create table account (id integer primary key, amount integer not null check (amount >= 0))")
			for id := range 10 {
				statement(t, db, "insert into account values ($1, 100)", id)
			}
			test(t, k, db)
		})
	}
}

func statement(t *testing.T, db *sql.DB, text string, args ...any) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), text, args...)
	check(t, err)
}

func amounts(t *testing.T, db *sql.DB) []int {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "select amount from account order by id")
	check(t, err)
	defer rows.Close()
	var all []int
	for rows.Next() {
		var n int
		check(t, rows.Scan(&n))
		all = append(all, n)
	}
	check(t, rows.Err())
	return all
}

type transfer struct{ From, To, Amount int }

// move reads two amounts and writes them changed: two moves at once may lose a change unless the database reports the
// conflict.
func move(ctx context.Context, tx sqlx.Tx[transfer]) (transfer, error) {
	for id, change := range map[int]int{tx.In.From: -tx.In.Amount, tx.In.To: tx.In.Amount} {
		var amount int
		if err := tx.QueryRowContext(ctx, "select amount from account where id = $1", id).Scan(&amount); err != nil {
			return tx.In, err
		}
		if _, err := tx.ExecContext(ctx, "update account set amount = $1 where id = $2", amount+change, id); err != nil {
			return tx.In, err
		}
	}
	return tx.In, nil
}

func TestTransfersInConflict(t *testing.T) {
	each(t, func(t *testing.T, k kind, db *sql.DB) {
		one := syncx.Sync(sqlx.NewPool(db, -1), sqlx.Transaction(db, k.options, step.Await(move)))
		want := amounts(t, db)
		var all []transfer
		for i := range 100 {
			if m := (transfer{i % 10, (i*7 + 3) % 10, i % 3}); m.From != m.To {
				all = append(all, m)
				want[m.From] -= m.Amount
				want[m.To] += m.Amount
			}
		}
		_, err := flow.Run(t.Context(), flow.ParEach(16, again(k, one)), all)
		check(t, err)
		if diff := cmp.Diff(want, amounts(t, db)); diff != "" {
			t.Error(diff)
		}
	})
}

// Both transactions read before one of them writes: one of them must be repeated.
func TestConflictIsMadeAgain(t *testing.T) {
	each(t, func(t *testing.T, k kind, db *sql.DB) {
		var attempts atomic.Int32
		var both sync.WaitGroup
		both.Add(2)
		body := step.Await(func(ctx context.Context, tx sqlx.Tx[int]) (int, error) {
			var amount int
			if err := tx.QueryRowContext(ctx, "select amount from account where id = 1").Scan(&amount); err != nil {
				return 0, err
			}
			if attempts.Add(1) <= 2 {
				both.Done()
				both.Wait()
			}
			_, err := tx.ExecContext(ctx, "update account set amount = $1 where id = 1", amount+tx.In)
			return amount + tx.In, err
		})
		add := again(k, sqlx.Transaction(db, k.options, body))
		_, err := flow.Run(t.Context(), flow.ParEach(2, add), []int{10, 20})
		check(t, err)
		if got := amounts(t, db)[1]; got != 130 || attempts.Load() < 3 {
			t.Errorf("%d after %d attempts", got, attempts.Load())
		}
	})
}

func TestRolledBack(t *testing.T) {
	errLater := errors.New("a later step failed")
	each(t, func(t *testing.T, _ kind, db *sql.DB) {
		before := amounts(t, db)
		moved := step.Await(move)
		hang := step.Await(func(ctx context.Context, m transfer) (transfer, error) {
			<-ctx.Done()
			return m, context.Cause(ctx)
		})
		fail := step.Func(func(step.Scope, transfer) (transfer, error) { return transfer{}, errLater })
		crash := step.Map(func(transfer) transfer { panic("no") })
		overdrawn := transfer{1, 2, 1000}

		for _, c := range []struct {
			name string
			s    step.Step[sqlx.Tx[transfer], transfer]
			in   transfer
		}{
			{"a later step fails", flow.Then(moved, fail), transfer{1, 2, 3}},
			{"a later step panics", flow.Then(moved, crash), transfer{1, 2, 3}},
			{"a limit passes", flow.Then(moved, flow.Timeout(time.Millisecond, hang)), transfer{1, 2, 3}},
			{"a constraint", moved, overdrawn},
		} {
			if _, err := flow.Run(t.Context(), sqlx.Transaction(db, nil, c.s), c.in); err == nil {
				t.Error(c.name, "succeeded")
			}
			if diff := cmp.Diff(before, amounts(t, db)); diff != "" {
				t.Error(c.name, diff)
			}
		}

		ctx, cancel := context.WithCancel(t.Context())
		stop := step.Map(func(m transfer) transfer { cancel(); return m })
		if _, err := flow.Run(ctx, sqlx.Transaction(db, nil, flow.Then(moved, flow.Then(stop, hang))), transfer{1, 2, 3}); !errors.Is(err, context.Canceled) {
			t.Error("cancelled:", err)
		}
		if diff := cmp.Diff(before, amounts(t, db)); diff != "" {
			t.Error("cancelled:", diff)
		}
		if open := db.Stats().InUse; open != 0 {
			t.Error(open, "connections are in use")
		}
	})
}

func TestConnectionIsLost(t *testing.T) {
	db := postgres(t)
	statement(t, db, "create table note (text text)")
	body := step.Await(func(ctx context.Context, tx sqlx.Tx[string]) (string, error) {
		if _, err := tx.ExecContext(ctx, "insert into note values ($1)", tx.In); err != nil {
			return "", err
		}
		if tx.In == "lost" {
			_, err := tx.ExecContext(ctx, "select pg_terminate_backend(pg_backend_pid())")
			return "", err
		}
		return tx.In, nil
	})
	note := sqlx.Transaction(db, nil, body)
	for text, fails := range map[string]bool{"kept": false, "lost": true} {
		if _, err := flow.Run(t.Context(), note, text); (err != nil) != fails {
			t.Error(text, err)
		}
	}
	var all string
	check(t, db.QueryRowContext(t.Context(), "select string_agg(text, ',') from note").Scan(&all))
	if all != "kept" {
		t.Error(all)
	}
}
