package sqlx_test

import (
	"context"
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/sqlx"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestPoolBoundsTransactions(t *testing.T) {
	d := &database{}
	db := d.open(t)
	db.SetMaxOpenConns(2)
	pool := sqlx.NewPool(db, -1)
	most := 0
	look := use(func(_ context.Context, tx sqlx.Tx[int]) (int, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		most = max(most, db.Stats().InUse, pool.Inside())
		return tx.In, nil
	})
	in := make([]int, 20)
	if _, err := flow.Run(t.Context(), flow.ParEach(20, syncx.Sync(pool, sqlx.Transaction(db, nil, look))), in); err != nil {
		t.Error(err)
	}
	if waited := db.Stats().WaitCount; most != 2 || waited != 0 {
		t.Errorf("%d at once, %d waited in database/sql", most, waited)
	}
}

func TestPoolIsNotWellFormed(t *testing.T) {
	d := &database{}
	for _, pool := range []*syncx.Mutex{sqlx.NewPool(nil, 0), sqlx.NewPool(d.open(t), 0)} {
		if !errors.Is(pool.Err(), fault.InvalidRequest) {
			t.Error(pool.Err())
		}
	}
}
