package bench

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/sqlx"
	"github.com/futoin-go/asyncsteps/step"
)

// errConflict is the error of a transaction that must be repeated.
var errConflict = errors.New("conflict")

// increments is a counter on an SQLite file. It doesn't wait for the disk.
type increments struct {
	db   *sql.DB
	n    int // the attempt of an increment that succeeds
	made int
}

func openIncrements(tb testing.TB, n int) *increments {
	tb.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(tb.TempDir(), "counter.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err = db.ExecContext(background, "CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)"); err != nil {
		tb.Fatal(err)
	}
	return &increments{db: db, n: n}
}

// add is the body of a transaction. It returns 1 if the attempt succeeds.
func (i *increments) add(ctx context.Context, exec func(ctx context.Context, query string, args ...any) (sql.Result, error)) (int, error) {
	if _, err := exec(ctx, "UPDATE counter SET n = n + 1"); err != nil {
		return 0, err
	}
	if i.made++; i.made%i.n != 0 {
		return 0, errConflict
	}
	return 1, nil
}

// transactions: a transaction of one statement on an SQLite file. The n-th attempt of up to three is committed, and the others
// are rolled back.
//
// The floor is written by hand: begin, use, commit or roll back, in a loop. failsafe has its retry around one attempt of that.
var transactions = row{
	sizes: []int{1, 3},
	want:  func(int) int { return 1 },
	columns: []column{
		peer("asyncsteps", func(tb testing.TB, n int) operation {
			i := openIncrements(tb, n)
			plan := retry.Of(retry.Policy{Tries: 3}, sqlx.Transaction(i.db, nil, step.Await(
				func(ctx context.Context, tx sqlx.Tx[int]) (int, error) { return i.add(ctx, tx.ExecContext) })))
			return func() (int, error) { return flow.Run(request, plan, 0) }
		}),
		peer("floor", func(tb testing.TB, n int) operation {
			i := openIncrements(tb, n)
			return func() (v int, err error) {
				for range 3 {
					if v, err = i.byHand(request); err == nil {
						break
					}
				}
				return v, err
			}
		}),
		peer("failsafe", func(tb testing.TB, n int) operation {
			i := openIncrements(tb, n)
			executor := failsafe.With(retrypolicy.NewBuilder[int]().WithMaxAttempts(3).Build())
			return func() (int, error) { return executor.Get(func() (int, error) { return i.byHand(request) }) }
		}),
	},
}

// byHand makes one attempt.
func (i *increments) byHand(ctx context.Context) (v int, err error) {
	tx, err := i.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	if v, err = i.add(ctx, tx.ExecContext); err != nil {
		return 0, err
	}
	return v, tx.Commit()
}

func BenchmarkTransaction(b *testing.B) { transactions.bench(b) }
