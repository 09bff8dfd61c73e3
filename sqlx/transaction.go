package sqlx

import (
	"context"
	"database/sql"
	"errors"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Tx is the input of the steps of a [Transaction]: the input of the Transaction, and the transaction of database/sql.
// Several goroutines may call the methods of sql.Tx; its statements are executed one after the other.
//
// Commit and Rollback belong to the Transaction: if a step calls one of them and the steps succeed, the Transaction
// fails with sql.ErrTxDone.
type Tx[In any] struct {
	*sql.Tx

	In In // the input of the Transaction

	end context.CancelFunc // releases the context of the transaction
}

// Transaction begins a transaction of db, runs use with it, and commits it if use has succeeded; its
// result is that of use. If use is left in another way, the transaction is rolled back: by an
// error, a panic, a limit, a cancel, a sibling that fails or has decided a race, a break or a
// continue. It is a flow.Bracket: use starts when the transaction has begun, and the step after the
// Transaction starts when the transaction is committed.
//
// The transaction is begun, committed and rolled back on goroutines, so the loop doesn't wait for
// the database. Statements run where use calls them, which should be in the body of a step.Await.
// Nil options are the defaults of the driver.
//
// Errors: errors.Is and errors.As find those of the driver. An error of the commit is the error of the
// step. An error of a rollback is in Secondary of the error or cancel that has caused the rollback; after a
// break or continue, and when a race was won, it is reported to the loop's error handler. To repeat a
// transaction after a conflict put a retry around it whose policy has [PostgresConflict] or [SQLiteBusy] as
// its If: each attempt is a transaction of its own. A nil db and a nil use are reported by flow.Plan.Err.
//
// Cancellation: the context of the begin ends, use is cancelled like any step, and the rollback is
// waited for, but no longer than the grace (see flow.Grace). If a transaction begins although the context of the
// begin has ended, database/sql rolls it back, and nobody waits for that. A cancel doesn't break off a commit that has
// begun: the run ends as cancelled although the transaction is committed. If steps must follow the commit even
// then, put a flow.Shield around the Transaction and these steps.
//
//spec:ftn12 §1.3, §1.13; rules K2, K3, K4
func Transaction[In, Out any](db *sql.DB, options *sql.TxOptions, use step.Step[Tx[In], Out]) flow.Plan[In, Out] {
	if db == nil {
		return flow.Of(op.Missing[In, Out]("Transaction: the database is nil"))
	}
	begun := flow.Named("BeginTx", step.Await(func(ctx context.Context, o opening[In]) (Tx[In], error) {
		tx, err := begin(ctx, db, options, o)
		return Tx[In]{Tx: tx, In: o.in, end: o.end}, err
	}))
	acquire := step.New(func(as step.Scope, in In) step.Next[Tx[In]] {
		lives, end := context.WithCancel(context.WithoutCancel(as.Context()))
		as.SetCancel(end) // if the step is cut off, nobody takes the transaction
		return step.Into(as, begun, opening[In]{in, lives, end})
	})
	release := step.Await(func(_ context.Context, e flow.Ended[Tx[In], Out]) (struct{}, error) {
		defer e.Resource.end()
		return struct{}{}, finish(e.Resource.Tx, e.Err == nil && !e.Cancelled)
	})
	return flow.Bracket(
		flow.Named("begin", acquire), op.Given(use, "Transaction: the stage is nil"), flow.Named("commit or rollback", release))
}

// opening is the input of a begin: the input of the Transaction, and the context of the transaction, which ends when end is called.
type opening[In any] struct {
	in    In
	lives context.Context
	end   context.CancelFunc
}

// begin begins a transaction that lives until o.end is called. The end of ctx, which is the context of the step, ends
// only the wait for the begin: under ctx, database/sql would roll the transaction back when the step has returned.
func begin[In any](ctx context.Context, db *sql.DB, options *sql.TxOptions, o opening[In]) (*sql.Tx, error) {
	attached := context.AfterFunc(ctx, o.end)
	tx, err := db.BeginTx(o.lives, options)
	if attached() && err == nil {
		return tx, nil
	}
	// If the transaction was begun all the same, database/sql is rolling it back, because o.lives has ended.
	o.end()
	if err == nil || errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return nil, err
}

func finish(tx *sql.Tx, commit bool) error {
	if commit {
		return tx.Commit()
	}
	if err := tx.Rollback(); !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil // a step has ended the transaction
}
