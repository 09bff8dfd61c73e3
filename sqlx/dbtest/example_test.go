package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/sqlx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

type order struct {
	ID    int
	Item  string
	Count int
}

var errSoldOut = errors.New("sold out")

// take takes an order's items out of the stock.
var take = step.Await(func(ctx context.Context, tx sqlx.Tx[order]) (sqlx.Tx[order], error) {
	const text = "update stock set free = free - $1 where item = $2 and free >= $1"
	done, err := tx.ExecContext(ctx, text, tx.In.Count, tx.In.Item)
	if err != nil {
		return tx, err
	}
	if n, err := done.RowsAffected(); n == 0 {
		return tx, errors.Join(errSoldOut, err)
	}
	return tx, nil
})

// book writes the order down.
var book = step.Await(func(ctx context.Context, tx sqlx.Tx[order]) (order, error) {
	_, err := tx.ExecContext(ctx, "insert into booking values ($1, $2, $3)", tx.In.ID, tx.In.Item, tx.In.Count)
	return tx.In, err
})

// placing returns a transaction of both steps that waits for a place in pool and is repeated after conflicts.
func placing(db *sql.DB, pool syncx.Guard) flow.Plan[order, order] {
	conflicts := retry.Policy{Tries: 5, Pause: 10 * time.Millisecond, Factor: 2, Jitter: 1, If: sqlx.SQLiteBusy}
	both := sqlx.Transaction(db, nil, flow.Then(take, book))
	return flow.Timeout(5*time.Second, retry.Of(conflicts, syncx.Sync(pool, both)))
}

func Example() {
	db, err := sql.Open("sqlite", "file:shop?mode=memory&cache=shared")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // a database in memory ends with its last connection
	for _, text := range []string{
		"create table stock (item text primary key, free integer)", "insert into stock values ('teapot', 5)",
		"create table booking (id integer primary key, item text, count integer)",
	} {
		if _, err := db.ExecContext(context.Background(), text); err != nil {
			fmt.Println(err)
			return
		}
	}

	place := placing(db, sqlx.NewPool(db, 100))
	for _, o := range []order{{1, "teapot", 3}, {2, "teapot", 3}, {1, "teapot", 1}} {
		_, err := flow.Run(context.Background(), place, o)
		fmt.Println(o.ID, err == nil, errors.Is(err, errSoldOut))
	}
	var free int
	err = db.QueryRowContext(context.Background(), "select free from stock").Scan(&free)
	fmt.Println(free, "left,", err)
	// Output:
	// 1 true false
	// 2 false true
	// 1 false false
	// 2 left, <nil>
}
