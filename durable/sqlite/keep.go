package sqlite

import (
	"database/sql"
	"errors"
	"time"
)

// expire deletes ended runs that are old or too many, in small portions with other writes in between.
func (f *File) expire(now time.Time) {
	const portion = 200
	old := int64(-1)
	if f.options.KeepFor > 0 {
		old = now.Add(-f.options.KeepFor).UnixNano()
	}
	most := f.options.KeepRuns
	deleted := 0
	f.writer.put(op{
		write: func(s *session) (err error) {
			deleted = 0
			if old >= 0 {
				deleted, err = s.delete(s.expired, old, portion)
			}
			if err == nil && most >= 0 && deleted < portion {
				var more int
				more, err = s.delete(s.surplus, portion-deleted, most)
				deleted += more
			}
			return err
		},
		written: func() {
			if deleted == portion && !f.ends() {
				f.expire(now)
			}
		},
	})
}

// delete deletes the runs whose numbers the query returns.
func (s *session) delete(which *sql.Stmt, args ...any) (deleted int, err error) {
	var runs []int64
	err = eachOf(func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		runs = append(runs, n)
		return err
	}, which, args...)
	if err != nil {
		return 0, err
	}
	for _, n := range runs {
		if err = errors.Join(s.do(s.forget, n), s.do(s.drop, n)); err != nil {
			return 0, err
		}
	}
	return len(runs), nil
}
