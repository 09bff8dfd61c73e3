package sqlx

import "github.com/futoin-go/asyncsteps/fault"

// PostgresConflict reports whether err is a conflict after which PostgreSQL asks to repeat the whole transaction: a
// serialization failure (SQLSTATE 40001) or a deadlock (40P01). It finds the method SQLState, which errors of pgx and
// lib/pq have, at any depth. It is meant as the If of a retry.Policy. Any goroutine may call it.
func PostgresConflict(err error) bool {
	e, ok := fault.AsType[interface {
		error
		SQLState() string
	}](err)
	if !ok {
		return false
	}
	state := e.SQLState()
	return state == "40001" || state == "40P01"
}

// SQLiteBusy reports whether err is a lock conflict of SQLite: its primary result code is SQLITE_BUSY (5) or
// SQLITE_LOCKED (6). It finds the method Code, which errors of modernc.org/sqlite have, at any depth. It is meant as
// the If of a retry.Policy. Any goroutine may call it.
func SQLiteBusy(err error) bool {
	e, ok := fault.AsType[interface {
		error
		Code() int
	}](err)
	if !ok {
		return false
	}
	primary := e.Code() & 0xff // the bits above make it an extended code, such as SQLITE_BUSY_SNAPSHOT
	return primary == 5 || primary == 6
}
