package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
)

type request struct {
	id    string // the id of the run, or the name of the schedule
	what  string // the name of the kind cancelled or signalled, or one of retry, pause, resume and remove
	name  string
	value []byte
}

// nobody is the definition that encodes and decodes the errors of answers. It belongs to no workflow.
var nobody = func() *engine.Definition {
	d := engine.NewDefinition("")
	d.Named = []engine.NamedError{{Name: "sqlite.ErrNoSchedule", Err: ErrNoSchedule}, {Name: "sqlite.ErrEnded", Err: ErrEnded}}
	return d
}()

const retry = "retry"

func (f *File) asked(ctx context.Context, r request) error {
	if r.aboutSchedule() {
		return f.reschedule(ctx, func(c *session) error { return c.ofSchedule(r) })
	}
	switch r.what {
	case cancelled.String():
		return face{f}.Cancel(ctx, r.id)
	case signalled.String():
		if err := engine.TooLarge("the signal", len(r.value)); err != nil {
			return err
		}
		return f.send(ctx, r.id, signalled, r.name, r.value)
	case retry:
		return f.retry(ctx, r.id)
	default:
		return fault.New(fault.InvalidRequest, "nobody knows how to do: "+r.what)
	}
}

// retry tries again to continue a run that stands still, after the writer has dealt with everything that is queued.
func (f *File) retry(ctx context.Context, id string) error {
	o, err := f.find(id)
	if err == nil && o.state != lives {
		err = ended(id, o.state)
	}
	if err != nil {
		return err
	}
	return f.await(ctx, op{
		write: func(*session) error { return nil },
		written: func() {
			f.post(o.run, message{do: func(r *run) {
				r.stuck = nil
				r.awake()
			}})
		},
	})
}

func ended(id string, state int) error {
	return fmt.Errorf("%w (%s): %q", ErrEnded, map[int]State{hasSucceeded: Succeeded, hasFailed: Failed, wereCancelled: Cancelled}[state], id)
}

// requests is how often the owner of a file looks for requests.
const requests = time.Second

// answer carries out the requests of other programs, and writes the answers.
func (f *File) answer() error {
	var all []request
	var numbers []int64
	err := f.each(func(rows *sql.Rows) error {
		var r request
		var n int64
		err := rows.Scan(&n, &r.id, &r.what, &r.name, &r.value)
		all, numbers = append(all, r), append(numbers, n)
		return err
	}, "SELECT request, id, what, name, value FROM durable_requests WHERE answer IS NULL ORDER BY request")
	if err != nil {
		return err
	}
	for i, r := range all {
		answer, n := "", numbers[i]
		if err := f.asked(context.Background(), r); err != nil {
			answer = string(encodeError(nobody, err))
		}
		if f.ends() {
			return nil // the next owner does what r asks for, perhaps a second time
		}
		f.writer.put(op{write: func(s *session) error { return s.do(s.answer, answer, n) }})
	}
	return nil
}

// ask makes the owner of the file at path do what r asks for, or does it here if the file has no owner.
func ask(ctx context.Context, db *sql.DB, path string, r request) error {
	if err := engine.TooLarge("the signal", len(r.value)); err != nil {
		return err
	}
	done, err := ifNoOwner(ctx, path, func() error { return alone(ctx, db, r) })
	if done || err != nil {
		return err
	}
	stored, err := db.ExecContext(ctx, "INSERT INTO durable_requests (id, what, name, value) VALUES (?, ?, ?, ?)", r.id, r.what, r.name, r.value)
	if err != nil {
		return err
	}
	n, err := stored.LastInsertId()
	if err != nil {
		return err
	}
	return errors.Join(answered(ctx, db, path, r, n), forget(db, n))
}

// ifNoOwner calls do as the owner of the file at path, and reports whether it did: not if the file has an owner.
func ifNoOwner(ctx context.Context, path string, do func() error) (bool, error) {
	own, err := own(ctx, path, false)
	if err != nil {
		if errors.Is(err, ErrInUse) {
			err = nil
		}
		return false, err
	}
	return true, errors.Join(do(), own.release())
}

// answered waits for the answer to the request with the number n. If the owner goes without one, answered does what r asks for.
func answered(ctx context.Context, db *sql.DB, path string, r request, n int64) error {
	look := time.NewTicker(requests / 10)
	defer look.Stop()
	for i := 1; ; i++ {
		ok, err := answerOf(ctx, db, n)
		if ok || err != nil {
			return err
		}
		if i%10 == 0 {
			done, err := ifNoOwner(ctx, path, func() error {
				if ok, err := answerOf(ctx, db, n); ok || err != nil {
					return err // it came just before the owner went
				}
				return errors.Join(alone(ctx, db, r), forget(db, n)) // the next owner must not find it
			})
			if done || err != nil {
				return err
			}
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return fmt.Errorf("the program that has the file doesn't answer: %w", context.Cause(ctx))
		}
	}
}

// answerOf reports whether the request with the number n was answered, and returns the error that the answer is.
func answerOf(ctx context.Context, db *sql.DB, n int64) (bool, error) {
	var answer sql.NullString
	err := db.QueryRowContext(ctx, "SELECT answer FROM durable_requests WHERE request = ?", n).Scan(&answer)
	if err == nil && answer.String != "" {
		err = decodeError(nobody, []byte(answer.String))
	}
	return answer.Valid, err
}

// forget deletes a request, so that nobody carries it out when no caller waits for its answer.
func forget(db *sql.DB, n int64) error {
	_, err := db.ExecContext(context.Background(), "DELETE FROM durable_requests WHERE request = ?", n)
	return err
}

func alone(ctx context.Context, db *sql.DB, r request) (err error) {
	s, err := newSession(ctx, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	last, err := lastOf(ctx, db)
	if err != nil {
		return err
	}
	return s.transact(newClock(time.Now, last).now(), func() error {
		if r.aboutSchedule() {
			return s.ofSchedule(r)
		}
		run, state, _, err := s.stateOfID(r.id)
		switch {
		case err != nil:
			return err
		case state != lives && r.what == retry:
			return ended(r.id, state)
		case state != lives && r.what == cancelled.String():
			return nil
		}
		switch r.what {
		case cancelled.String():
			_, err = s.append(run, cancelled, "", nil)
		case signalled.String():
			_, _, err = s.sent(r.id, signalled, r.name, r.value)
			return err
		}
		return errors.Join(err, s.do(s.wake, run))
	})
}

// answers carries out requests, on a goroutine of its own because they wait for the disk.
func (f *File) answers() {
	if !f.answering.CompareAndSwap(false, true) {
		return // earlier requests are still being carried out
	}
	f.others.Go(func() {
		defer f.answering.Store(false)
		if err := f.answer(); err != nil && !f.ends() {
			f.report(fmt.Errorf("requests of other programs can't be read: %w", err))
		}
	})
}
