package sqlx_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/sqlx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

var errBody = errors.New("the body failed")

func use(body func(ctx context.Context, tx sqlx.Tx[int]) (int, error)) step.Step[sqlx.Tx[int], int] {
	return step.Await(body)
}

func hang(ctx context.Context, _ sqlx.Tx[int]) (int, error) {
	<-ctx.Done()
	return 0, context.Cause(ctx)
}

func double(_ context.Context, tx sqlx.Tx[int]) (int, error) { return 2 * tx.In, nil }

func TestTransactionEnds(t *testing.T) {
	errSibling := errors.New("the sibling failed")
	later := step.Delay[int](time.Second) // the transaction has begun by then
	leave := step.New(func(step.Scope, sqlx.Tx[int]) step.Next[int] { return loopx.Break[int]() })

	for _, c := range []struct {
		name string
		with func(db *sql.DB) step.Step[int, int]
		err  error
		want string
	}{
		{"a value", func(db *sql.DB) step.Step[int, int] {
			return sqlx.Transaction(db, nil, use(double))
		}, nil, "begin commit"},
		{"options", func(db *sql.DB) step.Step[int, int] {
			return sqlx.Transaction(db, &sql.TxOptions{ReadOnly: true}, use(double))
		}, nil, "begin-read-only commit"},
		{"an error", func(db *sql.DB) step.Step[int, int] {
			return sqlx.Transaction(db, nil, use(func(context.Context, sqlx.Tx[int]) (int, error) { return 0, errBody }))
		}, errBody, "begin rollback"},
		{"a panic", func(db *sql.DB) step.Step[int, int] {
			return sqlx.Transaction(db, nil, step.Map(func(sqlx.Tx[int]) int { panic("no") }))
		}, fault.InternalError, "begin rollback"},
		{"a limit", func(db *sql.DB) step.Step[int, int] {
			return flow.Timeout(time.Second, sqlx.Transaction(db, nil, use(hang)))
		}, fault.Timeout, "begin rollback"},
		{"a sibling that fails", func(db *sql.DB) step.Step[int, int] {
			fail := step.Func(func(step.Scope, int) (int, error) { return 0, errSibling })
			all := flow.Par(sqlx.Transaction(db, nil, use(hang)), flow.Then(later, fail))
			return flow.Then(all, step.Map(func([]int) int { return 0 }))
		}, errSibling, "begin rollback"},
		{"a decided race", func(db *sql.DB) step.Step[int, int] {
			return flow.First(sqlx.Transaction(db, nil, use(hang)), later)
		}, nil, "begin rollback"},
		{"a break", func(db *sql.DB) step.Step[int, int] {
			return loopx.Loop(sqlx.Transaction(db, nil, leave))
		}, nil, "begin rollback"},
		{"a step that commits", func(db *sql.DB) step.Step[int, int] {
			return sqlx.Transaction(db, nil, use(func(_ context.Context, tx sqlx.Tx[int]) (int, error) { return 1, tx.Commit() }))
		}, sql.ErrTxDone, "begin commit"},
		{"a step that rolls back and fails", func(db *sql.DB) step.Step[int, int] {
			return sqlx.Transaction(db, nil, use(func(_ context.Context, tx sqlx.Tx[int]) (int, error) {
				return 1, errors.Join(errBody, tx.Rollback())
			}))
		}, errBody, "begin rollback"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &database{}
				_, err := flow.Run(t.Context(), c.with(d.open(t)), 21)
				if !errors.Is(err, c.err) {
					t.Errorf("error %v, want %v", err, c.err)
				}
				if got := d.String(); got != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
			})
		})
	}
}

func TestTransactionIsCommittedBeforeTheNextStep(t *testing.T) {
	d := &database{}
	after := step.Map(func(n int) int { d.note("next"); return n })
	out, err := flow.Run(t.Context(), flow.Then(sqlx.Transaction(d.open(t), nil, use(double)), after), 21)
	if out != 42 || err != nil || d.String() != "begin commit next" {
		t.Error(out, err, d)
	}
}

func TestTransactionCancelled(t *testing.T) {
	d := &database{}
	errCause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := sqlx.Transaction(d.open(t), nil, use(func(ctx context.Context, tx sqlx.Tx[int]) (int, error) {
		cancel(errCause)
		return hang(ctx, tx)
	}))
	_, err := flow.Run(ctx, s, 1)
	if !errors.Is(err, errCause) || !errors.Is(err, context.Canceled) || d.String() != "begin rollback" {
		t.Error(err, d)
	}
}

// The run ends as cancelled even if the driver begins the transaction after the cancel: it is rolled back then.
func TestTransactionCancelledInTheBegin(t *testing.T) {
	for _, c := range []struct {
		name  string
		after error // the result of the begin after the cancel
		want  string
	}{
		{"heard", context.Canceled, ""},
		{"begun all the same", nil, "begin rollback"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &database{}
				errCause := errors.New("enough")
				ctx, cancel := context.WithCancelCause(t.Context())
				d.beginning = func(ctx context.Context) error {
					cancel(errCause)
					<-ctx.Done()
					return c.after
				}
				_, err := flow.Run(ctx, sqlx.Transaction(d.open(t), nil, use(double)), 1)
				if !errors.Is(err, errCause) || !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				synctest.Wait() // database/sql rolls back on a goroutine of its own
				if d.String() != c.want {
					t.Errorf("%v, want %v", d, c.want)
				}
			})
		})
	}
}

func TestTransactionErrors(t *testing.T) {
	errCommit := errors.New("the commit failed")
	d := &database{commit: []error{errCommit}}
	if _, err := flow.Run(t.Context(), sqlx.Transaction(d.open(t), nil, use(double)), 1); !errors.Is(err, errCommit) {
		t.Error("commit:", err)
	}

	errBegin := errors.New("the begin failed")
	d = &database{beginning: func(context.Context) error { return errBegin }}
	if _, err := flow.Run(t.Context(), sqlx.Transaction(d.open(t), nil, use(double)), 1); !errors.Is(err, errBegin) {
		t.Error("begin:", err)
	}
}

func TestTransactionIsMadeAgain(t *testing.T) {
	d := &database{commit: []error{state("40001"), state("40P01")}}
	again := retry.Of(retry.Policy{Tries: 5, If: sqlx.PostgresConflict}, sqlx.Transaction(d.open(t), nil, use(double)))
	out, err := flow.Run(t.Context(), again, 21)
	if want := "begin commit begin commit begin commit"; out != 42 || err != nil || d.String() != want {
		t.Error(out, err, d)
	}
}

func TestTransactionIsNotWellFormed(t *testing.T) {
	d := &database{}
	for _, p := range []flow.Plan[int, int]{
		sqlx.Transaction(nil, nil, use(double)),
		sqlx.Transaction[int, int](d.open(t), nil, nil),
	} {
		err := p.Err()
		if !errors.Is(err, fault.InvalidRequest) {
			t.Error(err)
		}
		if _, ran := flow.Run(t.Context(), p, 1); !errors.Is(ran, fault.InvalidRequest) {
			t.Error(ran)
		}
	}
}

// The begin may return at the very moment in which the grace has passed. Nobody takes the transaction then.
func TestTransactionCutOffAsItBegins(t *testing.T) {
	d := &database{}
	db := d.open(t)
	db.SetMaxOpenConns(1)
	quiet := flow.WithOptions(t.Context(), tool.Options{OnError: func(error) {}})
	for range 3000 {
		ctx, cancel := context.WithCancel(quiet)
		d.beginning = func(context.Context) error {
			go cancel()
			return nil
		}
		_, _ = flow.Run(ctx, flow.Grace(time.Nanosecond, sqlx.Transaction(db, nil, use(double))), 1)
		cancel()
		free, stop := context.WithTimeout(t.Context(), 10*time.Second)
		c, err := db.Conn(free)
		stop()
		if err != nil {
			t.Fatal("the connection wasn't given back:", err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
