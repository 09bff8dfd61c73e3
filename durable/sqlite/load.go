package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// awake loads the run if it isn't in memory, and reports whether it is in memory now.
func (r *run) awake() bool { return r.awakeFor(math.MaxInt64) }

// awakeFor does what awake does, for a run to which the event with the given number has come; see load.
func (r *run) awakeFor(event int64) bool {
	if r.m != nil || r.ending {
		return r.m != nil
	}
	if r.stuck != nil {
		return false
	}
	switch err := r.load(event); {
	case err == nil:
		r.unread = nil
	case r.f.ends(): // the file may not be readable any more
	case ofAll(err):
		r.postpone(err)
	default:
		r.stand(err)
	}
	return r.m != nil
}

// postpone makes the alarms try to load the run a second later, because the file can't be read now, for example for want of open
// files or memory.
func (r *run) postpone(why error) {
	if r.unread == nil {
		r.f.report(fmt.Errorf("run %d can't be read, and is tried again until it can: %w", r.n, why))
	}
	r.unread = why
	r.f.alarms.set(r, r.f.clock.now().Add(time.Second))
}

// load executes the run from its history. Errors that the machine reports are passed on only from the given event on: earlier ones
// were reported when their events came.
func (r *run) load(event int64) error {
	f := r.f
	if f.ends() {
		return errClosed
	}
	o, err := f.rowOf(r.n)
	switch {
	case errors.Is(err, sql.ErrNoRows) || err == nil && o.state != lives:
		return nil // the run has ended, or was deleted
	case err != nil:
		return err
	}
	r.id, r.name, r.outer, r.call = o.id, o.name(), o.outer.Int64, o.call.String
	if o.workflow == "" {
		_, err = f.plans.record(o.plan)
		return fmt.Errorf("its plan is missing: %w", err)
	}
	if r.own = f.flows[o.workflow]; r.own == nil {
		return fault.New(fault.InvalidRequest, "this program has no workflow "+o.workflow)
	}
	what, err := f.plans.changed(r.own, o.plan)
	if err != nil {
		return err
	}
	if what != "" {
		return fault.New(fault.InvalidRequest, what)
	}
	of := r.own.bodies[o.body]
	if of == nil {
		return fault.New(fault.InvalidRequest, "this program has no named flow.Call "+o.body)
	}
	m := newMachine(r.own.d, r.id, of)
	m.planned, m.apart = f.plans.patches, r.apart
	if err = r.replay(m, event); err != nil {
		return err
	}
	r.m, r.used, r.firing = m, f.clock.now(), false
	if o.plan != r.own.plan {
		r.write(adopted, strconv.FormatInt(r.own.plan, 10), nil)
	}
	if o.asleep || o.why.Valid {
		f.writer.put(op{write: func(s *session) error { return errors.Join(s.do(s.wake, r.n), s.do(s.why, nil, r.n)) }})
	}
	return nil
}

func (r *run) replay(m *machine, event int64) error {
	m.report = func(error) {}
	scan := func(rows *sql.Rows) error {
		e, err := eventOf(rows, r.n)
		if err != nil || m.over { // as in give, later events are for the next beginning
			return err
		}
		if e.n >= event {
			m.report = r.f.report
		}
		m.apply(e)
		r.last = e.n
		return m.fatal
	}
	err := eachOf(scan, r.f.readers.history, r.n)
	if err == nil && m.loop == nil {
		err = errNoStart
	}
	m.report = r.f.report
	return err
}
