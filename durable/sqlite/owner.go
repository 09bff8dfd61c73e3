package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// ErrInUse is the error of [Open] for a file that another process, or another [File], has open.
var ErrInUse = fault.New(fault.InvalidRequest, "the file is in use")

// owner holds the lock that lets one process run the runs of a file. The lock is on a second, empty database beside the file, on
// which the owner keeps a transaction open: SQLite knows how to lock files on each system, and the system drops the lock of a
// process that is killed. The file itself stays free for others to read.
type owner struct {
	db *sql.DB
	c  *sql.Conn
}

// own takes the lock of the file at path. If the lock isn't free, own fails with ErrInUse, or with standby waits until the lock is
// free or ctx ends.
func own(ctx context.Context, path string, standby bool) (*owner, error) {
	db, err := sql.Open("sqlite", dsn(path+"-owner", "busy_timeout(0)", "locking_mode(EXCLUSIVE)", "journal_mode(MEMORY)"))
	if err != nil {
		return nil, err
	}
	o := &owner{db: db}
	for {
		if err = o.lock(ctx); err == nil {
			return o, nil
		}
		if !busy(err) {
			break
		}
		if !standby {
			err = fmt.Errorf("%w: another process, or this one, has %s open", ErrInUse, path)
			break
		}
		pause := time.NewTimer(100 * time.Millisecond)
		select {
		case <-pause.C:
			continue
		case <-ctx.Done():
			pause.Stop()
			err = context.Cause(ctx)
		}
		break
	}
	return nil, errors.Join(err, db.Close())
}

func (o *owner) lock(ctx context.Context) error {
	c, err := o.db.Conn(ctx)
	if err != nil {
		return err
	}
	if _, err = c.ExecContext(ctx, "BEGIN EXCLUSIVE"); err == nil {
		o.c = c
		return nil
	}
	return errors.Join(err, c.Close())
}

func (o *owner) release() error { return errors.Join(o.c.Close(), o.db.Close()) }
