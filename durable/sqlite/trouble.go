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

// busy reports whether err says that somebody else has a lock.
func busy(err error) bool {
	code := codeOf(err)
	return code == lib.SQLITE_BUSY || code == lib.SQLITE_LOCKED
}

// ofStorage reports whether err says that a statement is right, and can't be executed because of the disk, the file, or the memory.
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

// ofOne reports whether err, of one op of a transaction, is no reason why others can't be written. The error of a body that has rolled the
// transaction back is one of all: they have to be repeated.
func ofOne(err error) bool { return !ofAll(err) && !errors.Is(err, errUndone) }
