package sqlite

import (
	"database/sql"
	"encoding/json"
	"log/slog"
	"reflect"
	"slices"
	"strconv"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
)

// States of runs in the file.
const (
	lives         = 0
	hasSucceeded  = 1
	hasFailed     = 2
	wereCancelled = 3
	gone          = -1 // the run isn't in the file any more
)

// end describes the end of a run, or the point where a run begins anew.
type end struct {
	run, outer int64
	call       string
	plan       int64
	last       int64 // the number of the last event that the run has seen
	kind       kind
	state      int
	data       []byte
	anew       *beginning // nil if the run ends
	signals    []signal   // the signals that no step has received

	wrote written // what the last call of write has done; the transactions of earlier calls have failed
}

// written holds what one call of end.write has done.
type written struct {
	kind kind
	data []byte
	told *event   // the event for the run that has called this one; nil if no run has, or it has ended, or this run begins anew
	over bool     // the run has ended, and doesn't begin anew
	late []signal // the signals that have come since the machine reached the end of the run
}

// finish writes the end of the run when the machine has reached it.
func (r *run) finish() {
	m := r.m
	e := &end{run: r.n, outer: r.outer, call: r.call, plan: r.own.plan, last: r.last, signals: m.signals.All()}
	if in, more := m.d.Next(m.out); m.err == nil && more {
		if m.cancelled { // after a new beginning the run wouldn't know of the cancel
			m.err = engine.ErrCancelled
		} else {
			m.err = e.again(m, in)
		}
	}
	if e.anew == nil {
		e.result(m)
	}
	r.abandon()
	r.ending = true
	f, id, name, d := r.f, r.id, r.name, m.d
	f.writer.put(op{
		write: func(s *session) error { return e.write(s, d) },
		written: func() {
			w := e.wrote
			if w.told != nil {
				f.post(e.outer, message{e: *w.told})
			}
			r.post(message{do: func(r *run) {
				r.ending = false
				if w.over {
					e.unheard(id, name)
				} else {
					r.awake()
				}
			}})
			if w.over { // last, because the file may be closed then
				f.over(id, outcome{name, w.kind, w.data})
			}
		},
		failed: r.stands,
	})
}

func (e *end) again(m *machine, in reflect.Value) error {
	data, err := engine.Marshal("the input of the next beginning", in)
	if err == nil {
		e.anew = &beginning{Generation: m.generation + 1, In: data}
	}
	return err
}

func (e *end) result(m *machine) {
	e.kind, e.state = succeeded, hasSucceeded
	if m.err == nil {
		e.data, m.err = engine.Marshal("the result of the run", m.out)
	}
	if m.err != nil {
		e.kind, e.state, e.data = broken, hasFailed, encodeError(m.d, m.err)
		if m.cancelled && engine.Cancelled(m.err) {
			e.state = wereCancelled
		}
	}
}

func (e *end) write(s *session, d *engine.Definition) error {
	e.wrote = written{kind: e.kind, data: e.data} // the transaction of an earlier call has failed
	state := e.state
	stopped, err := e.catchUp(s)
	if err != nil {
		return err
	}
	if e.anew != nil && !stopped {
		return e.writeAnew(s)
	}
	w := &e.wrote
	if e.anew != nil {
		w.kind, state, w.data = broken, wereCancelled, encodeError(d, engine.ErrCancelled)
	}
	w.over = true
	if _, err := s.append(e.run, w.kind, "", w.data); err != nil {
		return err
	}
	if err := s.do(s.end, state, s.at, e.run); err != nil {
		return err
	}
	if e.outer == 0 {
		return nil
	}
	return e.answer(s)
}

// catchUp reads the signals that have come since the machine reached the end of the run. stopped reports whether a cancel has come.
func (e *end) catchUp(s *session) (stopped bool, err error) {
	err = eachOf(func(rows *sql.Rows) error {
		event, err := eventOf(rows, e.run)
		if err != nil {
			return err
		}
		if event.kind == signalled {
			e.wrote.late = append(e.wrote.late, signal{event.name, event.data})
		}
		stopped = stopped || event.kind == cancelled
		return nil
	}, s.since, e.run, e.last)
	return stopped, err
}

// writeAnew makes the run begin anew, with all signals that no step has received.
func (e *end) writeAnew(s *session) error {
	b := *e.anew
	b.Signals = slices.Concat(e.signals, e.wrote.late)
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	first, err := s.append(e.run, anew, strconv.FormatInt(e.plan, 10), data)
	if err != nil {
		return err
	}
	return s.do(s.anew, e.run, first.n)
}

// unheard logs the signals that no step has received. The handler of the log is code of the user's, so the goroutine of the writer
// mustn't call unheard.
func (e *end) unheard(id, workflow string) {
	_ = engine.Shielded(func() error {
		for _, s := range slices.Concat(e.signals, e.wrote.late) {
			slog.Default().Warn(engine.Unheard, "workflow", workflow, "run", id, "signal", s.Name)
		}
		return nil
	})
}

// answer writes the result into the history of the run that has called this one, if that run still lives.
func (e *end) answer(s *session) error {
	state, asleep, err := s.stateOf(e.outer)
	if err == nil && state != lives {
		return nil
	}
	if err == nil && asleep {
		err = s.do(s.wake, e.outer)
	}
	if err != nil {
		return err
	}
	as := completed
	if e.wrote.kind == broken {
		as = failed
	}
	told, err := s.append(e.outer, as, e.call, e.wrote.data)
	e.wrote.told = &told
	return err
}
