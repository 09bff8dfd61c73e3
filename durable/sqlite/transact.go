package sqlite

import (
	"context"
	"database/sql"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	driver "modernc.org/sqlite"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/step"
)

// Tx is the transaction in which the result of a step of [Transact] is written. The body of the step may use it, on one goroutine at
// a time; later its methods fail with sql.ErrTxDone. Tx has methods of sql.Tx, so that code written for an interface with these methods
// accepts it. A context that ends doesn't interrupt a statement.
type Tx struct {
	s    *session
	over atomic.Bool
	life context.Context //nolint:containedctx // ends with the body, so that a sql.Row that the body hasn't scanned is closed
	rows []*sql.Rows     // rows that the body may have left open
}

// ExecContext executes a statement, as sql.Tx does.
func (t *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if t.over.Load() {
		return nil, sql.ErrTxDone
	}
	return t.s.c.ExecContext(context.WithoutCancel(ctx), query, args...)
}

// QueryContext executes a query, as sql.Tx does. Close the rows before the body returns; those that are left are closed then.
func (t *Tx) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	if t.over.Load() {
		return nil, sql.ErrTxDone
	}
	rows, err := t.s.c.QueryContext(t.life, query, args...)
	if err == nil {
		t.rows = append(slices.DeleteFunc(t.rows, closed), rows)
	}
	return rows, err
}

func closed(rows *sql.Rows) bool {
	_, err := rows.Columns()
	return err != nil
}

// end ends the use of the connection by the body.
func (t *Tx) end() {
	t.over.Store(true)
	for _, rows := range t.rows {
		_ = rows.Close() // the body didn't want to know
	}
	t.s.inside.Store(false)
}

// QueryRowContext executes a query for one row, as sql.Tx does.
func (t *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if t.over.Load() {
		return t.s.c.QueryRowContext(overContext{ctx}, query, args...)
	}
	return t.s.c.QueryRowContext(t.life, query, args...)
}

// overContext is a context that has ended. A query with it returns a sql.Row with the error sql.ErrTxDone.
type overContext struct{ context.Context }

// Done implements context.Context.
func (overContext) Done() <-chan struct{} { return overDone }

// Err implements context.Context.
func (overContext) Err() error { return sql.ErrTxDone }

var overDone = func() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}()

// PrepareContext prepares a statement, as sql.Tx does. Before the body returns, close the rows of its queries, and then the statement:
// nobody else closes them, and rows that stay open may keep the whole file from being written.
func (t *Tx) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	if t.over.Load() {
		return nil, sql.ErrTxDone
	}
	return t.s.c.PrepareContext(context.WithoutCancel(ctx), query)
}

func forbidden(action driver.AuthorizerActionCode, arg, table string) bool {
	switch action {
	case driver.AuthTransaction, driver.AuthSavepoint, driver.AuthAttach, driver.AuthDetach:
		return true
	case driver.AuthPragma:
		return !strings.HasPrefix(strings.ToLower(arg), "table_") && !strings.HasPrefix(strings.ToLower(arg), "index_")
	case driver.AuthInsert, driver.AuthUpdate, driver.AuthDelete, driver.AuthDropTable, driver.AuthDropIndex,
		driver.AuthCreateTable, driver.AuthCreateView, driver.AuthCreateVTable,
		driver.AuthCreateTempTable, driver.AuthCreateTempView: // a temporary table would hide a table of the engine
		return ours(arg)
	case driver.AuthAlterTable, driver.AuthCreateTrigger, driver.AuthCreateIndex, driver.AuthCreateTempTrigger, driver.AuthCreateTempIndex:
		return ours(table)
	default:
		return false
	}
}

func ours(name string) bool { return strings.HasPrefix(strings.ToLower(name), "durable_") }

// Transact returns a step whose body changes tables of the file, in the transaction in which its result is written. So the changes
// happen exactly once, where the body of a step.Await is called at least once. The plan must run on a [File]; in any other run, and in
// one that a body starts, the step fails with InternalError.
//
// An error of the body, or a panic in it, rolls its changes back and fails the step, as in a step.Await. The body is called again
// if the transaction couldn't be committed, or if the program was killed before that. So the body may do nothing but use tx. No
// other run can write while the body executes, so let it be short: no calls of services, no sleeping.
//
// ctx is as for a body of step.Await. If it ends before the body's turn has come, the body isn't called.
func Transact[In, Out any](body func(ctx context.Context, tx *Tx, in In) (Out, error)) step.Step[In, Out] {
	if body == nil {
		return step.Await[In, Out](nil)
	}
	return step.Await(func(ctx context.Context, in In) (out Out, err error) {
		c := callOf(ctx)
		if c == nil || c.given != ctx {
			return out, fault.New(fault.InternalError, "sqlite.Transact: the run is not one of a durable.Workflow on a sqlite.File")
		}
		err = c.transact(ctx, func(tx *Tx) (data []byte, err error) {
			if out, err = body(ctx, tx, in); err != nil {
				return nil, err
			}
			return engine.Marshal("the result", reflect.ValueOf(&out).Elem())
		})
		return out, err
	})
}
