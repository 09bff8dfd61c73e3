package sqlite_test

import (
	"context"
	"flag"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
)

// everywhere makes TestLawKilledAnywhere kill the programs after each of their commits.
var everywhere = flag.Bool("everywhere", false, "kill the drawn programs after each event")

// somePlaces is about how many times each program is killed otherwise.
const somePlaces = 3

// killedAfter returns options for a file that writes one op at a time, and loses power after the given number of commits; 0 is
// for never.
func killedAfter(after int64) (o sqlite.Options, commits *atomic.Int64, dead <-chan struct{}) {
	commits = new(atomic.Int64)
	off := make(chan struct{})
	return sqlite.Options{Relaxed: true}.With(func(h *sqlite.Hooks) {
		h.Most = 1
		h.Committed = func() bool {
			if commits.Add(1) != after {
				return false
			}
			close(off)
			return true
		}
	}), commits, off
}

func untilDead(t *testing.T, dead <-chan struct{}) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		select {
		case <-dead:
		case <-ctx.Done():
		}
		cancel()
	}()
	return ctx, cancel
}

// A run on a file that is killed after a commit and replayed ends like one that wasn't killed. Limits and waits are hours. Programs
// that don't end on a loop are left out.
func TestLawKilledAnywhere(t *testing.T) {
	kills, failed, timeouts := 0, 0, 0
	for i, p := range enginetest.DrawnPrograms(t) {
		here := p.Here(time.Hour, time.Hour)
		if !here.Ended {
			continue
		}
		if here.Code != "" {
			failed++
		}
		if here.Code == fault.Timeout {
			timeouts++
		}
		commits := runKilled(t, p, 0, here.Outcome)
		if p.Iterates() {
			continue // where a program is killed its coroutines end; here they would be left behind, which synctest reports
		}
		every := int64(1)
		if !*everywhere {
			every = 1 + commits/somePlaces
		}
		for at := 1 + int64(i)%every; at <= commits; at += every {
			kills++
			runKilled(t, p, at, here.Outcome)
		}
	}
	t.Logf("%d kills, %d programs have failed, %d of them by a limit", kills, failed, timeouts)
	if kills < 100 || failed == 0 || timeouts == 0 {
		t.Error("the programs test too little")
	}
}

// runKilled runs a program on a new file, and compares its end with want. Unless after is 0, the file loses power after that many
// commits and is opened again. runKilled returns how many commits there were before the file was closed for
// the first time.
func runKilled(t *testing.T, p enginetest.Drawn, after int64, want string) (commits int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "law.db")
	synctest.Test(t, func(t *testing.T) {
		w := p.Workflow("drawn", time.Hour, time.Hour)
		options, count, dead := killedAfter(after)
		f := openFile(t, path, options, w)
		ctx, cancel := untilDead(t, dead)
		run, err := w.Start(ctx, f.Engine(), "run", p.Input)
		if err == nil {
			var out int
			if out, err = run.Wait(ctx); ctx.Err() == nil {
				wantOutcome(t, p, after, enginetest.Outcome(out, err), want)
			}
		}
		cancel()
		synctest.Wait()
		commits = count.Load()
		closeFile(t, f)
		if after == 0 {
			return
		}
		f = openFile(t, path, sqlite.Options{Relaxed: true}, w)
		run, err = w.Start(t.Context(), f.Engine(), "run", p.Input) // if the first one was killed before it was started
		if err != nil {
			t.Fatal(err)
		}
		out, err := run.Wait(t.Context())
		wantOutcome(t, p, after, enginetest.Outcome(out, err), want)
		closeFile(t, f)
	})
	return commits
}

func wantOutcome(t *testing.T, p enginetest.Drawn, after int64, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("killed after %d commits it has ended with %s\nhere with %s\n%+v", after, got, want, p)
	}
}
