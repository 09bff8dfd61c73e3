package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
)

// Operator looks after the runs of a file: it lists them, shows their histories, cancels them, sends them signals, and retries
// those that stand still. It also lists, pauses, resumes and removes schedules. The program that has the file gets an Operator from
// [File.Operator], any other program gets one from [Operate]. An Operator knows no types: values are JSON. It is safe for
// concurrent use. Its methods fail with InvalidRequest if the context is nil.
type Operator struct {
	db  *sql.DB
	ask func(ctx context.Context, r request) error // makes the program that has the file do what r asks for
	end func() error
}

func (o *Operator) send(ctx context.Context, r request) error {
	if ctx == nil {
		return errNoContext
	}
	return o.ask(ctx, r)
}

// Operator returns an Operator for the runs of the file. It works until the file is closed, and need not be closed.
func (f *File) Operator() *Operator {
	return &Operator{db: f.db, ask: f.asked, end: func() error { return nil }}
}

// Operate returns an Operator for the runs of the file at path, which another program may have open. It reads the file, and writes
// each requested change into a table, which that program reads every second. If no program has the file, or the one that had it ends
// without an answer, the Operator makes the change itself. [Operator.Close] closes the file. Operate fails if there is no file, or if
// the file has the schema of another version of this package.
func Operate(ctx context.Context, path string) (*Operator, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	path = resolved(path)
	_, err := os.Stat(path)
	var db *sql.DB
	if err == nil {
		db, err = sql.Open("sqlite", dsn(path, patient, "synchronous(FULL)"))
	}
	if err == nil {
		if err = known(ctx, db); err != nil {
			err = errors.Join(err, db.Close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("durable/sqlite: %s can't be opened: %w", path, err)
	}
	return &Operator{db: db, ask: func(ctx context.Context, r request) error { return ask(ctx, db, path, r) }, end: db.Close}, nil
}

func known(ctx context.Context, db *sql.DB) error {
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	version, err := schemaOf(ctx, c)
	if err == nil && version != len(migrations) {
		err = fault.New(fault.InvalidRequest, fmt.Sprintf("its schema has version %d, and this program knows %d", version, len(migrations)))
	}
	return errors.Join(err, c.Close())
}

// Close closes the file of an Operator from [Operate]. It does nothing for one from [File.Operator].
func (o *Operator) Close() error { return o.end() }

// Cancel asks a run to end, as durable.Run.Cancel does. A run that has ended stays as it is. ctx limits the wait for the program that
// has the file.
func (o *Operator) Cancel(ctx context.Context, id string) error {
	return o.send(ctx, request{id: id, what: cancelled.String()})
}

// Signal sends a signal, whose value is JSON. Unlike durable.Send it doesn't check whether a step of the plan can receive it. The
// run drops the signal if the value doesn't fit the step that receives it. If the run has ended, Signal fails with durable.ErrNoRun.
// With [Operate] a signal may be sent twice, if the program that has the file ends at that moment.
func (o *Operator) Signal(ctx context.Context, id, name string, value json.RawMessage) error {
	if !json.Valid(value) {
		return fault.New(fault.InvalidRequest, "the value of the signal isn't JSON")
	}
	return o.send(ctx, request{id: id, what: signalled.String(), name: name, value: value})
}

// Retry tries again to continue a run that stands still; a run that goes on isn't affected. Retry returns before it is known
// whether the run can go on: [Operator.Run] tells that later. If no program has the file, Retry has nothing to do, because the next
// program that opens the file tries its runs. If the run has ended, Retry fails with [ErrEnded]: to repeat a run that has failed,
// start a new one with the same input and another id.
func (o *Operator) Retry(ctx context.Context, id string) error {
	return o.send(ctx, request{id: id, what: retry})
}

// ErrEnded is the error of [Operator.Retry] for a run that has ended. The text of the error names the state of the run.
var ErrEnded = fault.New(fault.InvalidRequest, "the run has ended")

// State is the state of a run: one of the constants below.
type State string

// The states of runs.
const (
	Lives       State = "lives"        // the run waits, or works
	StandsStill State = "stands still" // the run can't go on: see RunInfo.Why
	Succeeded   State = "succeeded"
	Failed      State = "failed"
	Cancelled   State = "cancelled"
)

// RunInfo describes a run.
type RunInfo struct {
	ID        string    `json:"id"`
	Workflow  string    `json:"workflow"`         // the name of the workflow, or of the flow.Call whose run it is
	Caller    string    `json:"caller,omitempty"` // the id of the run that has called it
	State     State     `json:"state"`
	Why       string    `json:"why,omitempty"` // why the run stands still, or the text of the error that it has failed with
	Began     time.Time `json:"began"`
	Ended     time.Time `json:"ended,omitzero"`
	Asleep    bool      `json:"asleep,omitempty"`    // the run has left memory
	Attribute string    `json:"attribute,omitempty"` // the step that the run waits for, if its workflow has a durable.SearchAttribute
}

// Query selects the runs that match all of its fields. A zero field matches every run.
type Query struct {
	Workflow  string        // the name of the workflow, or of the flow.Call whose run it is
	State     State         // the state that the run is in
	Contains  string        // a text that the id of the run contains
	Older     time.Duration // the least time since the run began
	Attribute string        // the step that the run waits for, if its workflow has a durable.SearchAttribute
	Last      int           // at most this many runs, those that began last
}

// Runs yields the runs that q selects, those that began last first. An error is yielded as well, and ends the sequence.
func (o *Operator) Runs(ctx context.Context, q Query) iter.Seq2[RunInfo, error] {
	return func(yield func(RunInfo, error) bool) {
		if ctx == nil {
			yield(RunInfo{}, errNoContext)
			return
		}
		where, args := q.where()
		rows, err := o.db.QueryContext(ctx, runsQuery+where, args...)
		if err != nil {
			yield(RunInfo{}, err)
			return
		}
		defer func() { _ = rows.Close() }() // rows.Err has its error
		for rows.Next() {
			info, err := scanRun(rows)
			if !yield(info, err) || err != nil {
				return
			}
		}
		if err = rows.Err(); err != nil {
			yield(RunInfo{}, err)
		}
	}
}

// Run describes the run with the given id. It fails with durable.ErrNoRun if there is none.
func (o *Operator) Run(ctx context.Context, id string) (RunInfo, error) {
	if ctx == nil {
		return RunInfo{}, errNoContext
	}
	info, err := scanRun(o.db.QueryRowContext(ctx, runsQuery+" WHERE r.id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: %q", engine.ErrNoRun, id)
	}
	return info, err
}

// Counts returns how many runs of the file are in each state; each of the five states has an entry. It reads indexes, and rows only
// of runs that haven't left memory, so it may be called often even if the file has a million runs.
func (o *Operator) Counts(ctx context.Context) (map[State]int, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	var awake, still, asleep, ended, failed, cancelled int
	err := o.db.QueryRowContext(ctx, countsQuery).Scan(&awake, &still, &asleep, &ended, &failed, &cancelled)
	if err != nil {
		return nil, err
	}
	return map[State]int{
		Lives: awake + asleep - still, StandsStill: still, Succeeded: ended - failed - cancelled, Failed: failed, Cancelled: cancelled,
	}, nil
}

// countsQuery has a subquery for each partial index. It reads rows of the runs that are awake, because they may stand still.
const countsQuery = "SELECT a.awake, a.still, (SELECT count(*) FROM durable_runs WHERE wake IS NOT NULL), (SELECT count(*) FROM durable_runs WHERE ended IS NOT NULL), u.failed, u.cancelled" +
	" FROM (SELECT count(*) AS awake, count(why) AS still FROM durable_runs WHERE state = 0 AND wake IS NULL) a," +
	" (SELECT count(*) FILTER (WHERE state = 2) AS failed, count(*) FILTER (WHERE state = 3) AS cancelled FROM durable_runs WHERE state > 1) u"

const (
	stateText = "CASE r.state WHEN 0 THEN iif(r.why IS NULL, 'lives', 'stands still') WHEN 1 THEN 'succeeded' WHEN 2 THEN 'failed' ELSE 'cancelled' END"
	nameText  = "iif(r.body = '', coalesce(p.workflow, ''), r.body)"
	runsQuery = "SELECT r.id, " + nameText + ", coalesce(c.id, ''), " + stateText + ", coalesce(r.why, ''), r.began, r.ended, r.wake IS NOT NULL, iif(r.state = 0, coalesce(r.attribute, ''), '')" +
		", iif(r.state = 2, (SELECT h.data FROM durable_history h WHERE h.run = r.run AND h.kind = 10 ORDER BY h.n DESC LIMIT 1), NULL)" + // 10 is broken
		" FROM durable_runs r LEFT JOIN durable_plans p ON p.plan = r.plan LEFT JOIN durable_runs c ON c.run = r.outer"
)

func (q Query) where() (text string, args []any) {
	terms := []string{"1"}
	add := func(term string, arg any) { terms, args = append(terms, term), append(args, arg) }
	if q.Workflow != "" {
		add(nameText+" = ?", q.Workflow)
	}
	if q.State != "" {
		add(stateText+" = ?", string(q.State))
	}
	if q.Attribute != "" {
		add("r.state = 0 AND r.attribute = ?", q.Attribute)
	}
	if q.Contains != "" {
		add("instr(r.id, ?) > 0", q.Contains)
	}
	if q.Older > 0 {
		add("r.began <= ?", time.Now().Add(-q.Older).UnixNano())
	}
	last := -1 // no limit
	if q.Last > 0 {
		last = q.Last
	}
	return " WHERE " + strings.Join(terms, " AND ") + " ORDER BY r.run DESC LIMIT ?", append(args, last)
}

func scanRun(row interface{ Scan(to ...any) error }) (info RunInfo, err error) {
	var began int64
	var ended sql.NullInt64
	var failed []byte
	err = row.Scan(&info.ID, &info.Workflow, &info.Caller, &info.State, &info.Why, &began, &ended, &info.Asleep, &info.Attribute, &failed)
	if failed != nil {
		info.Why = errorText(failed)
	}
	info.Began = time.Unix(0, began)
	if ended.Valid {
		info.Ended = time.Unix(0, ended.Int64)
	}
	return info, err
}
