package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
)

// History holds the events of a run since its beginning, or its last new beginning. It can be stored as JSON, for a test that
// replays it.
type History struct {
	ID       string  `json:"id"`
	Workflow string  `json:"workflow"`
	Call     string  `json:"call,omitempty"` // the name of the flow.Call whose run it is
	Events   []Event `json:"events"`

	// Plans holds the plans with which the run was executed, by the Name of the events started, anew and adopted.
	Plans map[string]engine.Record `json:"plans"`
}

// Event is an event of a History.
type Event struct {
	At   time.Time       `json:"at"`
	Kind string          `json:"kind"`           // started, completed, failed, fired, signalled, cancelled, adopted, anew, succeeded or broken
	Name string          `json:"name,omitempty"` // the key of a call, the name of a signal, or the number of a plan
	Data json.RawMessage `json:"data,omitempty"` // such as the input, the result, the error, or the value of the signal
}

// History returns the history of the run with the given id. It fails with durable.ErrNoRun if there is none.
func (o *Operator) History(ctx context.Context, id string) (History, error) {
	h := History{ID: id, Plans: make(map[string]engine.Record)}
	if ctx == nil {
		return h, errNoContext
	}
	tx, err := o.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // so that all queries see the same state of the file
	if err != nil {
		return h, err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	var run int64
	err = tx.QueryRowContext(ctx, "SELECT run, coalesce(workflow, ''), body FROM durable_runs r LEFT JOIN durable_plans p ON p.plan = r.plan WHERE id = ?", id).
		Scan(&run, &h.Workflow, &h.Call)
	if errors.Is(err, sql.ErrNoRows) {
		return h, fmt.Errorf("%w: %q", engine.ErrNoRun, id)
	}
	if err != nil {
		return h, err
	}
	rows, err := tx.QueryContext(ctx, "SELECT at, kind, coalesce(name, ''), data FROM durable_history WHERE run = ? ORDER BY n", run)
	if err != nil {
		return h, err
	}
	err = scanned(rows, func(rows *sql.Rows) error {
		var at int64
		var k kind
		var e Event
		err := rows.Scan(&at, &k, &e.Name, (*[]byte)(&e.Data))
		e.At, e.Kind = time.Unix(0, at), k.String()
		h.Events = append(h.Events, e)
		return err
	})
	return h, errors.Join(err, h.addPlans(ctx, tx))
}

func (h *History) addPlans(ctx context.Context, tx *sql.Tx) error {
	for _, e := range h.Events {
		if k := kindOf(e.Kind); k != started && k != anew && k != adopted || h.Plans[e.Name].Plans != nil {
			continue
		}
		var r engine.Record
		if err := tx.QueryRowContext(ctx, "SELECT digest, calls, trees FROM durable_plans WHERE plan = ?", e.Name).Scan(&r.Digest, &r.Calls, &r.Plans); err != nil {
			return fmt.Errorf("the plan %s: %w", e.Name, err)
		}
		h.Plans[e.Name] = r
	}
	return nil
}

// Replay executes a run of w with the events of h: no body of a step.Await is called, and no time passes. It returns an error if
// the plan of w has changed in a way that the run can't go on with. If h has the end of the run, it also returns an error if the
// run doesn't end now, ends with another result, fails where it succeeded, or succeeds where it failed. Use it in tests of plans that have live runs.
func Replay(w Workflow, h History) error {
	f := &File{flows: make(map[string]*deployed)}
	if w == nil {
		return fault.New(fault.InvalidRequest, "the workflow is nil")
	}
	if err := f.add(w); err != nil {
		return err
	}
	own := f.flows[w.Name()]
	if h.Workflow != w.Name() {
		return fmt.Errorf("%w: the history is one of %s, not of %s", engine.ErrOtherWorkflow, h.Workflow, w.Name())
	}
	body := own.bodies[h.Call]
	if body == nil {
		return fault.New(fault.InvalidRequest, "the workflow has no named flow.Call "+h.Call)
	}
	m := newMachine(own.d, h.ID, body)
	m.report = func(error) {} // errors were reported when the events came
	m.apart = true            // a step that ends its goroutine doesn't end the caller's
	last := ""
	m.planned = func(plan string) (map[string]bool, error) {
		last = plan
		plans, err := h.Plans[plan].Unpack()
		return plans.Patches(), err
	}
	for i, e := range h.Events {
		if err := e.replay(m); err != nil {
			return fmt.Errorf("event %d of run %s: %w", i, h.ID, err)
		}
	}
	return h.same(own, last)
}

func (e Event) replay(m *machine) error {
	k := kindOf(e.Kind)
	switch k { //nolint:exhaustive // the machine applies the others
	case 0:
		return fault.New(fault.InvalidRequest, "no kind of events: "+strconv.Quote(e.Kind))
	case succeeded, broken:
		if m.loop == nil {
			return errNoStart
		}
		return ends(m, k, e.Data)
	}
	m.apply(event{at: e.At.UnixNano(), kind: k, name: e.Name, data: e.Data})
	return m.fatal
}

func ends(m *machine, k kind, data []byte) error {
	if !m.over {
		return fault.New(fault.InternalError, "the run has ended there, and hasn't now")
	}
	var e end
	if in, more := m.d.Next(m.out); m.err == nil && more {
		if k == broken && bytes.Equal(data, encodeError(m.d, engine.ErrCancelled)) {
			return nil // the run was cancelled as it was about to begin anew
		}
		if m.err = e.again(m, in); m.err == nil {
			return fault.New(fault.InternalError, fmt.Sprintf("the run has ended there with %s, and begins anew now", data))
		}
	}
	e.result(m)
	if e.kind != k || k == succeeded && !bytes.Equal(e.data, data) {
		return fault.New(fault.InternalError, fmt.Sprintf("the run has ended there with %s, and now with %s", data, e.data))
	}
	return nil
}

// same returns an error if the run can't go on with the plan of own. last is the number of the plan in h with which the run was
// executed last.
func (h *History) same(own *deployed, last string) error {
	if what := own.d.Changed(own.record, h.Plans[last]); what != "" {
		return fault.New(fault.InvalidRequest, what)
	}
	return nil
}

func kindOf(name string) kind {
	for k, n := range kinds {
		if n == name {
			return kind(k)
		}
	}
	return 0
}
