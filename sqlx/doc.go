// Package sqlx makes a transaction of database/sql a part of a plan. The transaction is begun before the steps that use it,
// committed when they have succeeded, and rolled back when they are left in any other way.
//
//	reserve := sqlx.Transaction(db, nil, step.Await(
//		func(ctx context.Context, tx sqlx.Tx[Order]) (Receipt, error) {
//			_, err := tx.ExecContext(ctx, "update stock set left = left - $1 where item = $2", tx.In.Count, tx.In.Item)
//			return Receipt{tx.In.ID}, err
//		}))
//
// A transaction composes like every plan. Here it is repeated after conflicts, and a guard bounds the
// connections in use:
//
//	conflicts := retry.Policy{Tries: 5, Pause: 10 * time.Millisecond, Factor: 2, Jitter: 1, If: sqlx.PostgresConflict}
//	safe := retry.Of(conflicts, syncx.Sync(sqlx.NewPool(db, 1000), reserve))
//
// The package knows no driver. [PostgresConflict] and [SQLiteBusy] recognize errors by the methods
// that well-known drivers give them.
package sqlx
