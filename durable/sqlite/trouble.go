package sqlite

import (
	"errors"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
)

func codeOf(err error) int {
	e, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return lib.SQLITE_OK
	}
	return e.Code() & 0xff
}

func busy(err error) bool {
	code := codeOf(err)
	return code == lib.SQLITE_BUSY || code == lib.SQLITE_LOCKED
}

// ofStorage reports whether the reason for err is the disk, the file, the memory or a lock, and not the statement.
func ofStorage(err error) bool {
	return ofAll(err) || codeOf(err) == lib.SQLITE_CORRUPT
}

// bare returns the error of SQLite that err wraps, with the text of err. The writer mustn't call methods of the user's errors, which
// may end its goroutine.
func bare(err error) error {
	e, _ := errors.AsType[*driver.Error](err)
	return &engine.FarError{Text: engine.Text(err), Holds: []error{e}}
}

// ofAll reports whether err, the error of one statement, means that other statements would fail too.
func ofAll(err error) bool {
	switch codeOf(err) {
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_READONLY, lib.SQLITE_NOMEM, lib.SQLITE_CANTOPEN, lib.SQLITE_NOTADB,
		lib.SQLITE_PROTOCOL, lib.SQLITE_INTERRUPT, lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return true
	default:
		return false
	}
}
