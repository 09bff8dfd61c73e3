package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
)

// The contexts of the queries in this file don't end: a run that reads its history has no caller with a context.

func (f *File) row(query string, args ...any) *sql.Row {
	return f.db.QueryRowContext(context.Background(), query, args...)
}

func (f *File) each(scan func(rows *sql.Rows) error, query string, args ...any) error {
	rows, err := f.db.QueryContext(context.Background(), query, args...)
	if err != nil {
		return err
	}
	return scanned(rows, scan)
}

func (s *session) row(st *sql.Stmt, args ...any) *sql.Row {
	return st.QueryRowContext(context.Background(), args...)
}

func eachOf(scan func(rows *sql.Rows) error, st *sql.Stmt, args ...any) error {
	rows, err := st.QueryContext(context.Background(), args...)
	if err != nil {
		return err
	}
	return scanned(rows, scan)
}

func scanned(rows *sql.Rows, scan func(rows *sql.Rows) error) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err = scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// readers are the prepared statements for reading.
type readers struct{ byNumber, byID, history, end *sql.Stmt }

// idle is how many connections for reading are kept.
const idle = 16

func newReaders(ctx context.Context, db *sql.DB) (q readers, err error) {
	db.SetMaxIdleConns(idle)
	const rows = "SELECT r.run, id, coalesce(workflow, ''), body, state, r.plan, outer, call, why, wake IS NOT NULL" +
		" FROM durable_runs r LEFT JOIN durable_plans p ON p.plan = r.plan WHERE "
	for _, p := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&q.byNumber, rows + "r.run = ?"},
		{&q.byID, rows + "id = ?"},
		{&q.history, "SELECT " + eventColumns + " FROM durable_history WHERE run = ? ORDER BY n"},
		{&q.end, "SELECT " + eventColumns + " FROM durable_history WHERE run = ? AND kind IN (?, ?)"},
	} {
		if *p.to, err = db.PrepareContext(ctx, p.text); err != nil { //nolint:sqlclosecheck // closing the database does it
			return q, err
		}
	}
	return q, nil
}

type runRow struct {
	run                int64 // the number of the run
	id, workflow, body string
	state              int
	plan               int64
	outer              sql.NullInt64
	call, why          sql.NullString
	asleep             bool
}

func (o runRow) name() string { return cmp.Or(o.body, o.workflow) }

func (f *File) rowOf(n int64) (runRow, error) { return scanRow(f.readers.byNumber, n) }

// lookUp takes one of the places for callers of the engine that read the file; done gives the place back. There may be any number
// of callers, and each connection needs open files, so the constant idle is the number of places. A caller must not take a second
// place. Runs take none.
func (f *File) lookUp() (done func()) {
	f.lookers <- struct{}{}
	return func() { <-f.lookers }
}

func (f *File) find(id string) (runRow, error) {
	defer f.lookUp()()
	o, err := scanRow(f.readers.byID, id)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: %q", engine.ErrNoRun, id)
	}
	if f.ends() {
		err = errClosed
	}
	return o, err
}

func scanRow(st *sql.Stmt, key any) (o runRow, err error) {
	err = st.QueryRowContext(context.Background(), key).
		Scan(&o.run, &o.id, &o.workflow, &o.body, &o.state, &o.plan, &o.outer, &o.call, &o.why, &o.asleep)
	return o, err
}

// stateOf returns the state of run number n, and whether it has left memory. For a run that was deleted the state is the constant gone.
func (s *session) stateOf(n int64) (state int, asleep bool, err error) {
	err = s.row(s.state, n).Scan(&state, &asleep)
	if errors.Is(err, sql.ErrNoRows) {
		return gone, false, nil
	}
	if err != nil {
		err = fmt.Errorf("the state of run %d: %w", n, err)
	}
	return state, asleep, err
}
