package sqlite

import (
	"math"
	"path/filepath"
	"testing"
	"time"
)

func TestSchedulesAreReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	f, err := Open(t.Context(), path, Options{Relaxed: true})
	if err != nil {
		t.Fatal(err)
	}
	s, now := &schedules{f: &File{db: f.db}, stale: true}, time.Unix(0, 0)
	if _, err = f.db.ExecContext(t.Context(), "ALTER TABLE durable_schedules RENAME TO hidden"); err != nil {
		t.Fatal(err)
	}
	if err = s.load(now); err == nil || s.until(now) != time.Second {
		t.Errorf("got %v, and again in %v", err, s.until(now))
	}
	if _, err = f.db.ExecContext(t.Context(), "ALTER TABLE hidden RENAME TO durable_schedules"); err != nil {
		t.Fatal(err)
	}
	for after, want := range []time.Duration{time.Second, math.MaxInt64} {
		if err = s.load(now.Add(time.Duration(after) * time.Second)); err != nil || s.until(now) != want {
			t.Errorf("after %d s: %v, and again in %v", after, err, s.until(now))
		}
	}
	if err = f.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
