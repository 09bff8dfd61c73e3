package sqlx_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/sqlx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// The first step of a transaction gets it together with its input; here it executes no statement.
func ExampleTransaction() {
	d := &database{}
	db := sql.OpenDB(d) // sql.Open(driver, name) in a program
	defer db.Close()

	book := sqlx.Transaction(db, nil, step.Await(func(_ context.Context, tx sqlx.Tx[string]) (int, error) {
		if tx.In == "" {
			return 0, errors.New("no name")
		}
		return len(tx.In), nil // tx.ExecContext(ctx, …)
	}))
	fmt.Println(flow.Run(context.Background(), book, "Ann"))
	_, err := flow.Run(context.Background(), book, "")
	fmt.Println(err)
	fmt.Println(d)
	// Output:
	// 3 <nil>
	// no name (at 0/0 "ExampleTransaction:23")
	// begin commit begin rollback
}

// A transaction is repeated as a whole if the database reports a conflict with another one.
func ExamplePostgresConflict() {
	d := &database{commit: []error{state("40001")}} // the first commit fails
	db := sql.OpenDB(d)
	defer db.Close()

	book := sqlx.Transaction(db, &sql.TxOptions{Isolation: sql.LevelSerializable}, step.Map(func(tx sqlx.Tx[int]) int { return tx.In }))
	policy := retry.Policy{Tries: 5, Pause: time.Millisecond, Factor: 2, Jitter: 1, If: sqlx.PostgresConflict}
	fmt.Println(flow.Run(context.Background(), retry.Of(policy, book), 7))
	fmt.Println(d)
	// Output:
	// 7 <nil>
	// begin commit begin commit
}

// SQLiteBusy finds the driver's error inside other errors.
func ExampleSQLiteBusy() {
	locked := fmt.Errorf("update stock: %w", code(5))
	fmt.Println(sqlx.SQLiteBusy(locked), sqlx.SQLiteBusy(errors.New("no such table")))
	// Output: true false
}

// The guard has a place for each connection that the database may have open.
func ExampleNewPool() {
	db := sql.OpenDB(&database{})
	defer db.Close()
	db.SetMaxOpenConns(4)

	pool := sqlx.NewPool(db, 1000)
	count := sqlx.Transaction(db, nil, step.Map(func(tx sqlx.Tx[int]) int { return 2 * tx.In }))
	fmt.Println(pool.Capacity())
	fmt.Println(flow.Run(context.Background(), flow.ParEach(100, syncx.Sync(pool, count)), []int{1, 2, 3}))
	// Output:
	// 4
	// [2 4 6] <nil>
}
