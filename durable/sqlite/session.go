package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	driver "modernc.org/sqlite"
)

// session is the connection that writes, with its statements. While the writer waits for the body of a step of Transact, the body
// uses the connection.
type session struct {
	c      *sql.Conn
	all    []*sql.Stmt
	at     int64       // the time of the transaction, in nanoseconds of Unix time
	inside atomic.Bool // a body of a Tx uses the connection

	begin, commit, rollback, savepoint, release, undo             *sql.Stmt
	insert, find, start, of, state, end, since, anew, wake, sleep *sql.Stmt
	adopt, why, answer, show, expired, surplus, forget, drop      *sql.Stmt
	repeat, schedule, scheduled, pause, unschedule, missed        *sql.Stmt
}

func newSession(ctx context.Context, db *sql.DB) (s *session, err error) {
	s = new(session)
	if s.c, err = db.Conn(ctx); err != nil {
		return nil, err
	}
	if err = migrate(ctx, s.c, migrations); err == nil {
		err = s.guard()
	}
	for _, p := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&s.begin, "BEGIN IMMEDIATE"},
		{&s.commit, "COMMIT"},
		{&s.rollback, "ROLLBACK"},
		{&s.savepoint, "SAVEPOINT durable"},
		{&s.release, "RELEASE durable"},
		{&s.undo, "ROLLBACK TO durable"},
		{&s.insert, "INSERT INTO durable_history (run, at, kind, name, data, sum) VALUES (?, ?, ?, ?, ?, ?)"},
		{&s.find, "SELECT run, state, wake IS NOT NULL FROM durable_runs WHERE id = ?"},
		{&s.start, "INSERT INTO durable_runs (id, plan, body, outer, call, began) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"},
		{&s.of, "SELECT run, outer, coalesce(workflow, ''), body FROM durable_runs r LEFT JOIN durable_plans p ON p.plan = r.plan WHERE id = ?"},
		{&s.since, "SELECT " + eventColumns + " FROM durable_history WHERE run = ? AND n > ? ORDER BY n"},
		{&s.state, "SELECT state, wake IS NOT NULL FROM durable_runs WHERE run = ?"},
		{&s.end, "UPDATE durable_runs SET state = ?, ended = ?, wake = NULL, why = NULL WHERE run = ?"},
		{&s.wake, "UPDATE durable_runs SET wake = NULL WHERE run = ?"},
		{&s.sleep, "UPDATE durable_runs SET wake = ?1 WHERE run = ?2 AND state = 0 AND NOT EXISTS (SELECT 1 FROM durable_history WHERE run = ?2 AND n > ?3)"},
		{&s.anew, "DELETE FROM durable_history WHERE run = ? AND n < ?"},
		{&s.adopt, "UPDATE durable_runs SET plan = ? WHERE run = ?"},
		{&s.why, "UPDATE durable_runs SET why = ? WHERE run = ?"},
		{&s.expired, "SELECT run FROM durable_runs WHERE ended < ? ORDER BY ended LIMIT ?"},
		{&s.surplus, "SELECT run FROM durable_runs WHERE ended IS NOT NULL ORDER BY ended LIMIT min(?, max(0, (SELECT count(*) FROM durable_runs WHERE ended IS NOT NULL) - ?))"},
		{&s.answer, "UPDATE durable_requests SET answer = ? WHERE request = ?"},
		{&s.show, "UPDATE durable_runs SET attribute = ? WHERE run = ?"},
		{&s.repeat, "INSERT INTO durable_schedules (name, workflow, spec, overlap, beside, input, done) VALUES (?, ?, ?, ?, ?, ?, ?)" +
			" ON CONFLICT DO UPDATE SET workflow = excluded.workflow, spec = excluded.spec, overlap = excluded.overlap, beside = excluded.beside," +
			" input = excluded.input, done = iif(spec = excluded.spec, done, excluded.done)"},
		{&s.schedule, schedulesQuery + " WHERE name = ?"},
		{&s.scheduled, "UPDATE durable_schedules SET done = ?, last = ? WHERE name = ?"},
		{&s.pause, "UPDATE durable_schedules SET paused = ?, done = iif(overlap = 'skip', max(done, ?), done) WHERE name = ?"},
		{&s.unschedule, "DELETE FROM durable_schedules WHERE name = ?"},
		{&s.missed, "UPDATE durable_schedules SET done = max(done, ?) WHERE overlap = 'skip'"},
		{&s.forget, "DELETE FROM durable_history WHERE run = ?"},
		{&s.drop, "DELETE FROM durable_runs WHERE run = ?"},
	} {
		if err != nil {
			break
		}
		if *p.to, err = s.c.PrepareContext(ctx, p.text); err == nil { //nolint:sqlclosecheck // close does it
			s.all = append(s.all, *p.to)
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// guard makes the connection refuse statements in the body of a Tx that would break the transaction around it. A statement may end the
// transaction all the same, by INSERT OR ROLLBACK, by a trigger, or because the disk is full. Later statements would then be committed
// one by one, so the connection also refuses commits while the body has it.
func (s *session) guard() error {
	return s.c.Raw(func(c any) error {
		h, ok := c.(driver.HookRegisterer)
		if !ok {
			return errors.New("the driver has no hooks")
		}
		h.RegisterCommitHook(func() (refuse int32) {
			if s.inside.Load() {
				refuse = 1
			}
			return refuse
		})
		r, ok := c.(driver.AuthorizerRegisterer)
		if !ok {
			return errors.New("the driver has no authorizer")
		}
		return r.RegisterAuthorizer(func(action driver.AuthorizerActionCode, arg, table, _, _ string) driver.AuthorizerReturnCode {
			if s.inside.Load() && forbidden(action, arg, table) {
				return driver.AuthorizerDeny
			}
			return driver.AuthorizerOK
		})
	})
}

func (s *session) exec(st *sql.Stmt, args ...any) (sql.Result, error) {
	return st.ExecContext(context.Background(), args...)
}

func (s *session) do(st *sql.Stmt, args ...any) error {
	_, err := s.exec(st, args...)
	return err
}

func (s *session) append(run int64, k kind, name string, data []byte) (event, error) {
	var as any // NULL for an empty name
	if name != "" {
		as = name
	}
	e := event{at: s.at, kind: k, name: name, data: data}
	r, err := s.exec(s.insert, run, s.at, int(k), as, data, e.sum(run))
	if err != nil {
		return event{}, err
	}
	e.n, err = r.LastInsertId()
	return e, err
}

// transact executes fn in a transaction. The events that fn appends have the time now.
func (s *session) transact(now time.Time, fn func() error) error {
	s.at = now.UnixNano()
	err := s.do(s.begin)
	if err != nil {
		return err
	}
	if err = fn(); err == nil {
		err = s.do(s.commit)
	}
	if err != nil {
		_ = s.do(s.rollback) // SQLite may have rolled back by itself, as when the disk is full
	}
	return err
}

// released releases the savepoint around a body. SQLite refuses that while a sql.Row of the body is open. One that the body hasn't scanned
// is being closed by another goroutine, so released tries again for up to a second.
func (s *session) released() (err error) {
	for range 1000 {
		if err = s.do(s.release); !busy(err) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return err
}

func (s *session) close() (err error) {
	for _, st := range s.all {
		err = errors.Join(err, st.Close())
	}
	return errors.Join(err, s.c.Close())
}
