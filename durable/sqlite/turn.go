package sqlite

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/fault"
)

// turn is the turn of a body of [Transact] to use the connection of the writer, which waits meanwhile.
type turn struct {
	turns   chan *session
	results chan turned
	gone    chan struct{} // closed when the body doesn't want a turn any more
	over    chan struct{} // closed after the commit
	refused chan error    // buffered; gets the reason if this result can't be written but others can
	undone  atomic.Bool   // the body has rolled the whole transaction back
}

type turned struct {
	data []byte // the stored result
	ok   bool   // the body has succeeded
	err  error  // an error of the file, the disk or the memory, which the plan doesn't get
}

var errUndone = fault.New(fault.InternalError, "the body has rolled back the transaction that it was given")

// transact calls fn, possibly several times, with the transaction in which the result of fn is written, and returns nil when that
// was committed. Otherwise it returns the error of fn, or why the result wasn't written.
func (c *call) transact(ctx context.Context, fn func(tx *Tx) ([]byte, error)) error {
	t := &turn{turns: make(chan *session), results: make(chan turned), gone: make(chan struct{}), over: make(chan struct{}), refused: make(chan error, 1)}
	defer close(t.gone)
	w := c.r.f.writer
	w.put(c.op(t))
	leave := ctx.Done()
	for {
		select {
		case s := <-t.turns:
			if t.undone.Load() {
				t.results <- turned{}
				return errUndone
			}
			c.inside.Store(true)
			err := t.use(s, fn)
			c.inside.Store(false)
			if err != nil {
				return err
			}
			leave = nil // the result is being written
		case <-t.over:
			c.wrote = true
			return nil
		case why := <-t.refused:
			return why
		case <-leave:
			return context.Cause(ctx)
		case <-w.ended:
			return errClosed
		}
	}
}

func (c *call) op(t *turn) op {
	var e event
	written := false
	return op{
		write: func(s *session) error {
			data, ok, err := t.give(s)
			if written = ok && err == nil; written {
				e, err = s.append(c.r.n, completed, c.key, data)
			}
			return err
		},
		written: func() {
			if written {
				c.r.post(message{e: e})
				close(t.over)
			}
		},
		failed: func(why error) { // the run stands still, as it does for any result that can't be written
			c.lost.Store(true)
			c.r.stands(why)
			t.refused <- why
		},
	}
}

// give gives the connection to the body and returns its result. ok is false if the body has failed, or no longer wants its turn.
func (t *turn) give(s *session) (data []byte, ok bool, err error) {
	if err = s.do(s.savepoint); err != nil {
		return nil, false, err
	}
	var r turned
	select {
	case t.turns <- s:
		r = <-t.results
	case <-t.gone:
	}
	if r.err != nil {
		return nil, false, r.err
	}
	if !r.ok {
		err = s.do(s.undo)
	}
	if err == nil {
		err = s.released()
	}
	// The savepoint is gone if the body has ended the transaction, by INSERT OR ROLLBACK or a trigger.
	if err != nil && !t.undone.Swap(true) {
		err = errors.Join(errUndone, err)
	}
	return r.data, r.ok, err
}

// use calls fn with the connection. A panic in fn goes to the caller, after the writer has got the connection back.
func (t *turn) use(s *session, fn func(tx *Tx) ([]byte, error)) (err error) {
	life, end := context.WithCancel(context.Background())
	tx := &Tx{s: s, life: life}
	var r turned
	s.inside.Store(true)
	defer func() {
		end()
		tx.end()
		t.results <- r
	}()
	data, err := fn(tx)
	switch {
	case err == nil:
		r = turned{data: data, ok: true}
	case ofStorage(err): // not an error for the plan
		r.err, err = bare(err), nil
	}
	return err
}
