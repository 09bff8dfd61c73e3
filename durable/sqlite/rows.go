package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Reading. No context ends these queries: they take microseconds, and those of a run belong to nobody who may leave.

// row executes a query of the readers for one row.
func (f *File) row(query string, args ...any) *sql.Row {
	return f.db.QueryRowContext(context.Background(), query, args...)
}

// each executes a query of the readers, and calls scan for each row.
func (f *File) each(scan func(rows *sql.Rows) error, query string, args ...any) error {
	rows, err := f.db.QueryContext(context.Background(), query, args...)
	if err != nil {
		return err
	}
	return scanned(rows, scan)
}

// row executes a statement of the writer for one row.
func (s *session) row(st *sql.Stmt, args ...any) *sql.Row {
	return st.QueryRowContext(context.Background(), args...)
}

// each executes a statement of the writer, and calls scan for each row.
func (s *session) each(scan func(rows *sql.Rows) error, st *sql.Stmt, args ...any) error {
	rows, err := st.QueryContext(context.Background(), args...)
	if err != nil {
		return err
	}
	return scanned(rows, scan)
}

// scanned calls scan for each row, and closes rows.
func scanned(rows *sql.Rows, scan func(rows *sql.Rows) error) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err = scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// runRow is the row of a run.
type runRow struct {
	id, workflow, body string
	state              int
	plan               int64
	outer              sql.NullInt64
	call, why          sql.NullString
	asleep             bool
}

// name returns the name of the run's workflow, or of the flow.Call that it is of.
func (o runRow) name() string { return cmp.Or(o.body, o.workflow) }

// rowOf returns the row of the run of that number.
func (f *File) rowOf(n int64) (o runRow, err error) {
	err = f.row("SELECT id, workflow, body, state, r.plan, outer, call, why, wake IS NOT NULL"+
		" FROM durable_runs r JOIN durable_plans p ON p.plan = r.plan WHERE run = ?", n).
		Scan(&o.id, &o.workflow, &o.body, &o.state, &o.plan, &o.outer, &o.call, &o.why, &o.asleep)
	return o, err
}

// stateOf returns the state of the run of that number, and whether it has left memory. A run that was deleted has ended.
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
