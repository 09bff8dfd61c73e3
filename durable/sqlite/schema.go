package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/futoin-go/asyncsteps/fault"
)

// migrations are the steps from one version of the schema to the next. The version of a file is the number of steps that were executed
// on it; opening it executes those that are missing. A step that was released must not be changed.
var migrations = []string{
	`CREATE TABLE durable_plans (
		plan INTEGER PRIMARY KEY,
		workflow TEXT NOT NULL,
		digest TEXT NOT NULL,
		calls TEXT NOT NULL, -- the digest of the functions that its steps call
		trees BLOB NOT NULL, -- JSON of the steps, compressed by gzip
		UNIQUE (workflow, digest, calls)
	);
	CREATE TABLE durable_runs (
		run INTEGER PRIMARY KEY AUTOINCREMENT, -- the number of a run that was deleted isn't used again: a body may return, or a run that it has called end, later
		id TEXT NOT NULL UNIQUE,
		plan INTEGER NOT NULL REFERENCES durable_plans, -- the last one that it was executed with
		body TEXT NOT NULL, -- the name of the flow.Call whose run it is, or empty
		outer INTEGER, -- the run that has called it
		call TEXT, -- the key of the call
		began INTEGER NOT NULL, -- nanoseconds of Unix time, as all times
		ended INTEGER,
		state INTEGER NOT NULL DEFAULT 0, -- 0 lives, 1 succeeded, 2 failed, 3 cancelled
		wake INTEGER, -- when its first timer is due, if it has left memory
		why TEXT -- why it stands still
	);
	CREATE INDEX durable_awake ON durable_runs (run) WHERE state = 0 AND wake IS NULL;
	CREATE INDEX durable_wake ON durable_runs (wake) WHERE wake IS NOT NULL;
	CREATE INDEX durable_ended ON durable_runs (ended) WHERE ended IS NOT NULL;
	CREATE TABLE durable_history (
		n INTEGER PRIMARY KEY,
		run INTEGER NOT NULL,
		at INTEGER NOT NULL,
		kind INTEGER NOT NULL,
		name TEXT,
		data BLOB
	);
	CREATE INDEX durable_history_run ON durable_history (run);`,
	`CREATE TABLE durable_requests ( -- of other programs, see Operate
		request INTEGER PRIMARY KEY,
		id TEXT NOT NULL,
		what TEXT NOT NULL,
		name TEXT NOT NULL,
		value BLOB,
		answer TEXT -- NULL until it is done; empty if it was, or the error
	);
	ALTER TABLE durable_runs ADD COLUMN attribute TEXT; -- the step that it waits for, if its workflow has a durable.SearchAttribute`,
	`CREATE TABLE durable_schedules (
		name TEXT PRIMARY KEY,
		workflow TEXT NOT NULL,
		spec TEXT NOT NULL,
		overlap TEXT NOT NULL, -- the text of a cron.Overlap
		beside INTEGER NOT NULL,
		input BLOB NOT NULL,
		done INTEGER NOT NULL, -- times up to this one are done with
		paused INTEGER NOT NULL DEFAULT 0,
		last TEXT -- the id of the run that was started last
	);`,
	`CREATE INDEX durable_unsuccessful ON durable_runs (state) WHERE state > 1;`,
	`ALTER TABLE durable_history ADD COLUMN sum INTEGER; -- see event.sum; NULL if a program that doesn't know it has written the row, or whoever has mended it by hand`,
}

func migrate(ctx context.Context, c *sql.Conn, steps []string) (err error) {
	version, err := schemaOf(ctx, c)
	if err != nil {
		return err
	}
	if version > len(steps) {
		return fault.New(fault.InvalidRequest, fmt.Sprintf("its schema has version %d, and this program knows %d: use a newer version of durable/sqlite", version, len(steps)))
	}
	for ; version < len(steps); version++ {
		for _, statement := range []string{
			"BEGIN IMMEDIATE", "CREATE TABLE IF NOT EXISTS durable_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
			steps[version], "INSERT OR REPLACE INTO durable_meta VALUES ('schema', '" + strconv.Itoa(version+1) + "')", "COMMIT",
		} {
			if _, err = c.ExecContext(ctx, statement); err != nil {
				_, _ = c.ExecContext(ctx, "ROLLBACK")
				return fmt.Errorf("the schema can't be brought to version %d: %w", version+1, err)
			}
		}
	}
	return nil
}

// schemaOf returns the version of the schema; 0 if the file has none.
func schemaOf(ctx context.Context, c *sql.Conn) (version int, err error) {
	var there int
	if err = c.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'durable_meta'").Scan(&there); err != nil || there == 0 {
		return 0, err
	}
	err = c.QueryRowContext(ctx, "SELECT value FROM durable_meta WHERE name = 'schema'").Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if version < 0 {
		err = fault.New(fault.InvalidRequest, fmt.Sprintf("its schema has version %d", version))
	}
	return version, err
}
