package bench

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	failsafetimeout "github.com/failsafe-go/failsafe-go/timeout"
	_ "modernc.org/sqlite" // the driver

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

const (
	sagasAtOnce = 16
	sagaTries   = 3
	sagaLimit   = time.Second
)

// errRefused is the error of the third service for each tenth order.
var errRefused = errors.New("refused")

// shop has three services of a saga on one SQLite file: goods are reserved, money is taken, a parcel is sent.
type shop struct {
	change map[string]*sql.Stmt
	check  *sql.Stmt
}

// openShop opens a shop that doesn't wait for a disk, so that processor time is measured.
func openShop(tb testing.TB) *shop {
	tb.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(tb.TempDir(), "shop.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	s := &shop{change: make(map[string]*sql.Stmt)}
	prepare := func(query string) *sql.Stmt {
		st, err := db.PrepareContext(background, query)
		if err != nil {
			tb.Fatal(err)
		}
		return st
	}
	if _, err = db.ExecContext(background, "CREATE TABLE shop (goods INTEGER, money INTEGER, parcels INTEGER); INSERT INTO shop VALUES (0, 0, 0)"); err != nil {
		tb.Fatal(err)
	}
	for name, by := range map[string]string{"reserve": "goods = goods - 1", "release": "goods = goods + 1", "charge": "money = money + 7", "refund": "money = money - 7", "ship": "parcels = parcels + 1"} {
		s.change[name] = prepare("UPDATE shop SET " + by)
	}
	s.check = prepare("SELECT parcels + (goods + parcels) * 1000000 + (money - 7 * parcels) * 1000000 FROM shop")
	return s
}

func (s *shop) do(ctx context.Context, what string) error {
	_, err := s.change[what].ExecContext(ctx)
	return err
}

func (s *shop) ship(ctx context.Context, order int) error {
	if order%10 == 0 {
		return errRefused
	}
	return s.do(ctx, "ship")
}

// parcels returns how many parcels were sent, or a number that is far from that if either the goods or the money don't match.
func (s *shop) parcels() (n int, err error) {
	err = s.check.QueryRowContext(background).Scan(&n)
	return n, err
}

// sagas: n orders, 16 at once, each of which goes through three services on an SQLite file, with a limit and up to three tries
// for each call. The last service refuses each tenth order, so what the others have done is undone.
//
// The column failsafe has what a program has without a saga: failsafe's policies, goroutines, and an undo after each error.
var sagas = row{
	sizes: []int{1000},
	want:  func(n int) int { return n - (n+9)/10 },
	columns: []column{
		peer("asyncsteps", func(tb testing.TB, n int) operation {
			var s *shop
			call := func(f func(ctx context.Context, order int) error) flow.Plan[int, int] {
				policy := retry.Policy{Tries: sagaTries, If: func(err error) bool { return !errors.Is(err, errRefused) }}
				return retry.Of(policy, flow.Timeout(sagaLimit, step.Do(f)))
			}
			change := func(what string) flow.Plan[int, int] {
				return call(func(ctx context.Context, _ int) error { return s.do(ctx, what) })
			}
			saga := flow.Saga(flow.Chain(
				flow.Undo(change("reserve"), change("release")),
				flow.Undo(change("charge"), change("refund")),
				call(func(ctx context.Context, order int) error { return s.ship(ctx, order) }),
			))
			all := flow.ParEach(sagasAtOnce, flow.Try(saga))
			orders := make([]int, n)
			for i := range orders {
				orders[i] = i
			}
			return func() (int, error) {
				s = openShop(tb)
				if _, err := flow.Run(background, all, orders); err != nil {
					return 0, err
				}
				return s.parcels()
			}
		}),
		peer("failsafe", func(tb testing.TB, n int) operation {
			executor := failsafe.With[any](
				retrypolicy.NewBuilder[any]().WithMaxAttempts(sagaTries).AbortOnErrors(errRefused).Build(),
				failsafetimeout.New[any](sagaLimit),
			)
			call := func(ctx context.Context, f func(ctx context.Context) error) error {
				return executor.WithContext(ctx).RunWithExecution(func(e failsafe.Execution[any]) error { return f(e.Context()) })
			}
			return func() (int, error) {
				s := openShop(tb)
				change := func(ctx context.Context, what string) error {
					return call(ctx, func(ctx context.Context) error { return s.do(ctx, what) })
				}
				saga := func(ctx context.Context, order int) (err error) {
					if err = change(ctx, "reserve"); err != nil {
						return err
					}
					defer func() {
						if err != nil {
							err = errors.Join(err, change(context.WithoutCancel(ctx), "release"))
						}
					}()
					if err = change(ctx, "charge"); err != nil {
						return err
					}
					defer func() {
						if err != nil {
							err = errors.Join(err, change(context.WithoutCancel(ctx), "refund"))
						}
					}()
					return call(ctx, func(ctx context.Context) error { return s.ship(ctx, order) })
				}
				var next atomic.Int64
				var workers sync.WaitGroup
				for range sagasAtOnce {
					workers.Go(func() {
						for {
							order := int(next.Add(1)) - 1
							if order >= n {
								return
							}
							_ = saga(background, order) // a refusal is expected; parcels checks the rest
						}
					})
				}
				workers.Wait()
				return s.parcels()
			}
		}),
	},
}

func BenchmarkSaga(b *testing.B) { sagas.bench(b) }
