package sqlite

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// With returns o with what only tests set.
func (o Options) With(set func(*Hooks)) Options {
	var h Hooks
	set(&h)
	if h.ReadOnly {
		o.pragmas = []string{"query_only(1)"}
	}
	o.wall, o.resident, o.most, o.committed, o.pause = h.Wall, h.Resident, h.Most, h.Committed, h.Pause
	return o
}

// Deaf returns o without a look at requests every second, which takes long in virtual time.
func (o Options) Deaf() Options {
	o.deaf = true
	return o
}

// Hooks are the settings of Options that only tests set.
type Hooks struct {
	Wall      func() time.Time
	Resident  int
	Most      int
	Committed func() bool
	Pause     time.Duration
	ReadOnly  bool
}

// Full has the disk be full, for what needs more room than there is, or have room again. It uses the connection of the writer, which
// database/sql guards; no transaction may be under way.
func (f *File) Full(t *testing.T, full bool) {
	t.Helper()
	bound := "PRAGMA max_page_count = 4294967294"
	if full {
		bound = "PRAGMA max_page_count = 1"
	}
	if _, err := f.writer.s.c.ExecContext(context.Background(), bound); err != nil {
		t.Fatal(err)
	}
}

// ReadOnly has the file be one that can't be written, or one that can. No transaction may be under way.
func (f *File) ReadOnly(t *testing.T, yes bool) {
	t.Helper()
	if _, err := f.writer.s.c.ExecContext(context.Background(), fmt.Sprintf("PRAGMA query_only = %t", yes)); err != nil {
		t.Fatal(err)
	}
}

// Synchronous returns the setting of the connection that writes: 1 is NORMAL, 2 is FULL. No transaction may be under way.
func (f *File) Synchronous(t *testing.T) (setting int) {
	t.Helper()
	if err := f.writer.s.c.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&setting); err != nil {
		t.Fatal(err)
	}
	return setting
}

// KeepNoConnections has each who reads open a connection of its own.
func (f *File) KeepNoConnections() { f.db.SetMaxIdleConns(-1) }

// Surplus returns how many connections were closed because there were too many.
func (f *File) Surplus() int64 { return f.db.Stats().MaxIdleClosed }

// CountsQuery is the query of Operator.Counts.
const CountsQuery = countsQuery

// InMemory returns how many runs are in memory.
func (f *File) InMemory() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.runs)
}

// Asleep has all runs leave memory that wait, and returns when they have.
func (f *File) Asleep(t *testing.T) {
	t.Helper()
	for f.InMemory() > 0 {
		f.alarms.sweep(f.clock.now().Add(time.Hour))
		if err := f.await(t.Context(), op{write: func(*session) error { return nil }}); err != nil {
			t.Fatal(err)
		}
	}
}

// Places returns how many places of limits are in use.
func (f *File) Places() (n int) {
	for _, all := range f.limits {
		for _, l := range all {
			l.mu.Lock()
			n += len(l.places)
			l.mu.Unlock()
		}
	}
	return n
}
