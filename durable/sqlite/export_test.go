package sqlite

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// With returns o with settings that only tests have.
func (o Options) With(set func(*Hooks)) Options {
	var h Hooks
	set(&h)
	if h.ReadOnly {
		o.pragmas = []string{"query_only(1)"}
	}
	o.wall, o.resident, o.most, o.committed, o.pause = h.Wall, h.Resident, h.Most, h.Committed, h.Pause
	return o
}

// Deaf returns o without the look at requests every second.
func (o Options) Deaf() Options {
	o.deaf = true
	return o
}

type Hooks struct {
	Wall      func() time.Time
	Resident  int
	Most      int
	Committed func() bool
	Pause     time.Duration
	ReadOnly  bool
}

// Full makes the disk full, or not. It uses the connection of the writer, so no transaction may be under way.
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

// ReadOnly makes the connection of the writer refuse to write, or not. No transaction may be under way.
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

// KeepNoConnections makes each reader open a connection of its own.
func (f *File) KeepNoConnections() { f.db.SetMaxIdleConns(-1) }

func (f *File) Surplus() int64 { return f.db.Stats().MaxIdleClosed }

const CountsQuery = countsQuery

func (f *File) InMemory() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.runs)
}

// Asleep makes runs that wait leave memory, and returns when none is left there.
func (f *File) Asleep(t *testing.T) {
	t.Helper()
	for f.InMemory() > 0 {
		f.alarms.sweep(f.clock.now().Add(time.Hour))
		if err := f.await(t.Context(), op{write: func(*session) error { return nil }}); err != nil {
			t.Fatal(err)
		}
	}
}

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
