package sqlite

import (
	"errors"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// codeOf returns the primary code of SQLite in err; lib.SQLITE_OK if there is none.
func codeOf(err error) int {
	e, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return lib.SQLITE_OK
	}
	return e.Code() & 0xff
}

// busy reports whether err means that another connection has a lock.
func busy(err error) bool {
	code := codeOf(err)
	return code == lib.SQLITE_BUSY || code == lib.SQLITE_LOCKED
}

// ofStorage reports whether the disk, the file, the memory or a lock is the reason for err, and not the statement.
func ofStorage(err error) bool {
	return ofAll(err) || codeOf(err) == lib.SQLITE_CORRUPT
}

// ofAll reports whether err, of one statement, stops all others too.
func ofAll(err error) bool {
	switch codeOf(err) {
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_READONLY, lib.SQLITE_NOMEM, lib.SQLITE_CANTOPEN, lib.SQLITE_NOTADB,
		lib.SQLITE_PROTOCOL, lib.SQLITE_INTERRUPT, lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return true
	default:
		return false
	}
}

// ofOne reports whether err, of one op of a transaction, doesn't keep the other ops from being written. The error of a body that
// has rolled the transaction back does: all ops have to be repeated.
func ofOne(err error) bool { return !ofAll(err) && !errors.Is(err, errUndone) }
