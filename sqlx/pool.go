package sqlx

import (
	"database/sql"

	"github.com/futoin-go/asyncsteps/syncx"
)

// NewPool makes a guard with a place for each connection that db may have open, as set when NewPool is called: call SetMaxOpenConns
// before. Up to maxQueue flows wait for a place, first come, first served, as with syncx.NewMutex: they need no goroutines, and a
// debug.Handler that knows the guard shows them. Further flows are rejected with fault.DefenseRejected.
//
// Put the guard around each [Transaction], and around each step that queries db, so that flows wait in the queue of the guard and
// not in the begin. Flows that take a second connection inside of the guard may wait for each other for ever.
//
// If db is nil, or the number of its connections isn't limited, the guard isn't well formed,
// which flow.Plan.Err reports.
func NewPool(db *sql.DB, maxQueue int) *syncx.Mutex {
	if db == nil {
		return syncx.NewMutex(0, maxQueue)
	}
	return syncx.NewMutex(db.Stats().MaxOpenConnections, maxQueue)
}
