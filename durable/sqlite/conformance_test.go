package sqlite

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/proptest/script"
)

// The programs of the reference implementation have their traces in runs on a file, also when a run is replayed after each of its
// events and then goes on.
func TestConformance(t *testing.T) {
	c := &conformance{t: t}
	db, err := sql.Open("sqlite", dsn(filepath.Join(t.TempDir(), "conform.db"), patient, "journal_mode(WAL)", "synchronous(OFF)"))
	if err == nil {
		c.s, err = newSession(t.Context(), db)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(c.s.close(), db.Close()); err != nil {
			t.Error(err)
		}
	}()
	programs, replays := enginetest.Programs(t), 0
	for i, p := range programs {
		t.Run(p.Name, func(t *testing.T) {
			c.t = t
			n := c.conforms(int64(i+1), p)
			for known := 0; known <= n; known++ {
				c.replays(int64(i+1), p, known)
				replays++
			}
		})
	}
	t.Logf("%d programs, %d replays", len(programs), replays)
	if len(programs) < 500 || replays < 2*len(programs) {
		t.Error("that is too little")
	}
}

type conformance struct {
	t *testing.T
	s *session
}

var dawn = time.Unix(1_700_000_000, 0)

// conforms executes the program in run number run, writes its events to the file, and returns how many there were.
func (c *conformance) conforms(run int64, p enginetest.Conforming) (events int) {
	c.executes(p, nil, func(due time.Time) (e event) {
		events++
		if err := c.s.transact(due, func() (err error) {
			e, err = c.s.append(run, fired, "", nil)
			return err
		}); err != nil {
			c.t.Fatal(err)
		}
		return e
	})
	return events
}

// replays gives a new run of the program the first events of run, as many as known says, and then others.
func (c *conformance) replays(run int64, p enginetest.Conforming, known int) {
	var history []event
	rows, err := c.s.c.QueryContext(c.t.Context(), "SELECT n, at, kind FROM durable_history WHERE run = ? ORDER BY n LIMIT ?", run, known)
	if err == nil {
		err = scanned(rows, func(rows *sql.Rows) error {
			var e event
			err := rows.Scan(&e.n, &e.at, &e.kind)
			history = append(history, e)
			return err
		})
	}
	if err != nil || len(history) != known {
		c.t.Fatalf("%d of %d events: %v", len(history), known, err)
	}
	c.executes(p, history, func(due time.Time) event { return event{at: due.UnixNano(), kind: fired} })
}

// executes executes the program with the events of history, and then with those that next returns.
func (c *conformance) executes(p enginetest.Conforming, history []event, next func(due time.Time) event) {
	c.t.Helper()
	program, err := script.Decode(p.Program)
	if err != nil {
		c.t.Fatal(err)
	}
	m := newMachine(engine.NewDefinition("script"), "run", nil)
	var reported []error
	m.report = func(err error) { reported = append(reported, err) }
	m.open(dawn)
	got, err := script.RunOn(program, m.loop, func() []error {
		for m.drive(); ; {
			due, more := m.next()
			if !more {
				return reported
			}
			if len(history) > 0 {
				m.apply(history[0])
				history = history[1:]
			} else {
				m.apply(next(due))
			}
		}
	})
	if diff := script.Diff(p.Expect, got); err != nil || diff != "" || m.fatal != nil {
		c.t.Errorf("%v, %v\n%s\nprogram: %s", err, m.fatal, diff, p.Program)
	}
}
