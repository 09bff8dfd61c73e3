package sqlx

import "github.com/futoin-go/asyncsteps/fault"

// PostgresConflict reports whether err is a conflict after which PostgreSQL asks to make the whole
// transaction again: a serialization failure (SQLSTATE 40001) or a deadlock (40P01). It
// recognizes the errors of pgx, lib/pq and others by their method SQLState, at any depth. It is
// meant as the If of a retry.Policy. Any goroutine may call it.
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

// SQLiteBusy reports whether err says that another connection held a lock of the database for too
// long: the primary result codes SQLITE_BUSY (5) and SQLITE_LOCKED (6). It recognizes the errors of
// modernc.org/sqlite and others by their method Code, at any depth. It is meant as the If of a
// retry.Policy. Any goroutine may call it.
func SQLiteBusy(err error) bool {
	e, ok := fault.AsType[interface {
		error
		Code() int
	}](err)
	if !ok {
		return false
	}
	primary := e.Code() & 0xff // the bits above tell more, as in SQLITE_BUSY_SNAPSHOT
	return primary == 5 || primary == 6
}
