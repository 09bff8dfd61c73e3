package sqlite

import (
	"context"
	"log/slog"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// Options are the settings of a [File]. The zero Options are good for most programs.
type Options struct {
	// Standby makes [Open] wait until the process that has the file lets it go, instead of failing: a second process takes over
	// when the first one ends or crashes.
	Standby bool

	// Idle is how long a run that waits for a timer, a signal or another run stays in memory. Zero or below stands for ten seconds.
	Idle time.Duration

	// KeepFor is how long runs that have ended are kept, with their results and histories. Zero stands for 30 days; below
	// zero there is no limit.
	KeepFor time.Duration

	// KeepRuns is how many runs that have ended are kept: if there are more, those that ended first are deleted. Zero stands for a
	// million; below zero there is no limit.
	KeepRuns int

	// Limits bounds how many bodies with a name, given by flow.Named, are called at the same time by all runs of the file. Further
	// calls wait in a queue, and their runs stay in memory meanwhile. [Open] refuses a limit below one, and a name that no body
	// has.
	Limits map[string]int
	// KeyLimits bounds how many bodies with a name are called at the same time for each key of their inputs, such as a tenant; see
	// [PerKey]. A body with a limit of both kinds waits for its key first, and takes no place of the other limit meanwhile. [Open]
	// also refuses a limit whose key is for inputs of another type. Everything else is as for Limits.
	KeyLimits map[string]KeyLimit

	// Relaxed makes commits return without waiting for the disk: SQLite's synchronous is NORMAL instead of FULL. A crash of the
	// program still loses nothing, but after a crash of the system, or a power failure, the last moments may be missing from the
	// file: runs that were started, signals, results of bodies. The runs then go on from an earlier moment, with the same keys. A
	// single run is several times faster with Relaxed; many runs at once share their commits in any case.
	Relaxed bool

	// OnError is called with reports that have no other recipient: that the file can't be written, or can be written again; that a
	// run stands still; that a signal doesn't fit; that a schedule can't start a run, and others. Any goroutine may call it, and it
	// must not block. The default logs with slog.Default at the level that tool.Level returns: Warn for what a grace, a cancel or a
	// shutdown has ended in a run, Error for everything else.
	OnError func(error)

	// Only tests set these fields.
	wall      func() time.Time
	resident  int         // the number of runs in memory above which those that wait leave it early
	most      int         // how many ops a transaction writes at most
	committed func() bool // is called after each commit; if it returns true, the writer stops as if the power had failed
	deaf      bool        // don't look for requests of other programs
	pause     time.Duration
	pragmas   []string // added to the pragmas of the connections
}

func (o Options) withDefaults() Options {
	if o.Idle <= 0 {
		o.Idle = 10 * time.Second
	}
	if o.KeepFor == 0 {
		o.KeepFor = 30 * 24 * time.Hour
	}
	if o.KeepRuns == 0 {
		o.KeepRuns = 1_000_000
	}
	if o.OnError == nil {
		o.OnError = func(err error) {
			slog.Default().Log(context.Background(), tool.Level(err), "durable/sqlite", "error", err)
		}
	}
	if o.resident == 0 {
		o.resident = 20_000
	}
	if o.wall == nil {
		o.wall = time.Now
	}
	return o
}
