package sqlite

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
)

// start starts a run, unless there is one with its id.
type start struct {
	id    string
	own   *deployed
	body  string
	outer int64  // the run that calls this one; 0 if there is none
	call  string // the key of the call
	in    []byte

	// write sets these fields:
	run   int64
	e     event // the first event of the run
	fresh bool  // there was no run with the id
	other error // set if the run with the id is one of another workflow
	mine  bool  // the run with the id was called by outer
}

// write starts the run. It is called again if its transaction fails.
func (s *start) write(c *session) error {
	var outer, call any
	if s.outer != 0 {
		outer, call = s.outer, s.call
	}
	r, err := c.exec(c.start, s.id, s.own.plan, s.body, outer, call, c.at)
	if err != nil {
		return err
	}
	made, err := r.RowsAffected()
	if err != nil {
		return err
	}
	if s.fresh = made == 1; !s.fresh {
		return s.found(c)
	}
	s.mine = true
	if s.run, err = r.LastInsertId(); err == nil {
		s.e, err = c.append(s.run, started, strconv.FormatInt(s.own.plan, 10), s.in)
	}
	return err
}

func (s *start) found(c *session) error {
	var of sql.NullInt64
	var workflow, body string
	err := c.row(c.of, s.id).Scan(&s.run, &of, &workflow, &body)
	s.mine = of.Int64 == s.outer
	if s.other = s.own.d.Started(s.id, cmp.Or(body, workflow)); workflow == "" {
		s.other = nil // the plan of the run has been lost, so the run stands still
	}
	return err
}

func (f *File) began(s *start) {
	msg := message{}
	if s.fresh {
		msg.do = func(r *run) { r.fresh(s.id, s.own, s.body, s.outer, s.call, s.e) }
	}
	f.post(s.run, msg)
}

// sent adds an event from outside to the history of the run with the given id, and wakes the run. It fails with ErrNoRun if there
// is no such run, or if the run has ended.
func (s *session) sent(id string, k kind, name string, data []byte) (run int64, e event, err error) {
	run, state, asleep, err := s.stateOfID(id)
	switch {
	case err == nil && state != lives:
		return 0, e, fmt.Errorf("%w any more: %q has ended", engine.ErrNoRun, id)
	case err == nil && asleep: // if the program ends now, the run is loaded when it starts again
		err = s.do(s.wake, run)
	}
	if err == nil {
		e, err = s.append(run, k, name, data)
	}
	return run, e, err
}

// stateOfID returns the number of the run with the given id, its state, and whether it has left memory. It fails with ErrNoRun if there
// is none.
func (s *session) stateOfID(id string) (run int64, state int, asleep bool, err error) {
	err = s.row(s.find, id).Scan(&run, &state, &asleep)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: %q", engine.ErrNoRun, id)
	}
	return run, state, asleep, err
}
