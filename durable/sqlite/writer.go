package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// errNoContext is the error of calls with a nil context.
var errNoContext = fault.New(fault.InvalidRequest, "the context is nil")

// errClosed is the error of calls of a File that is closed.
var errClosed = fault.New(fault.InvalidRequest, "the file is closed")

type op struct {
	// write writes the op, in a transaction. It is called again when the transaction has failed because of another op, because a body
	// of Transact has rolled it back, or, unless reply is set, because nothing could be written.
	write func(s *session) error

	// written is called after the commit, by the goroutine of the writer, in the order of the ops. It must not block.
	written func()

	// reply, if not nil, gets the result for a caller that waits: such an op isn't repeated if nothing can be written. The channel
	// is buffered.
	reply chan<- error

	// failed is called instead of written if reply is nil and the op can't be written although others can. It must not block. If
	// failed is nil, the error is reported.
	failed func(why error)
}

// writer writes the ops of all runs. Those that are queued while the writer waits for the disk share the next transaction.
type writer struct {
	s      *session
	clock  *clock
	report func(error)

	mu     sync.Mutex
	some   sync.Cond
	queue  []op
	closed bool // no more ops are taken

	hurry chan struct{} // closed to make the writer give up what it can't write
	ended chan struct{}
	pause time.Duration // between attempts to write

	failing bool // serve has reported that the file can't be written; used by its goroutine alone

	most      int         // see Options
	committed func() bool // see Options
}

func newWriter(s *session, c *clock, report func(error)) *writer {
	w := &writer{s: s, clock: c, report: report, hurry: make(chan struct{}), ended: make(chan struct{}), pause: time.Second}
	w.some.L = &w.mu
	return w
}

// put queues o. After close it replies errClosed, if somebody waits, and does nothing else.
func (w *writer) put(o op) {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		if o.reply != nil {
			o.reply <- errClosed
		}
		return
	}
	w.queue = append(w.queue, o)
	w.mu.Unlock()
	w.some.Signal()
}

func (w *writer) serve() {
	defer close(w.ended)
	var batch []op
	for {
		w.mu.Lock()
		for len(w.queue) == 0 && !w.closed {
			w.some.Wait()
		}
		if len(w.queue) == 0 {
			w.mu.Unlock()
			return
		}
		batch = w.next(batch)
		w.mu.Unlock()
		if !w.write(batch) {
			w.close()
			return
		}
		clear(batch)
	}
}

// next returns the ops of the next transaction. The caller holds mu. old is the previous batch; its memory is reused for the queue.
func (w *writer) next(old []op) (batch []op) {
	if w.most > 0 && len(w.queue) > w.most {
		batch = slices.Concat(w.queue[:w.most])
		w.queue = append(w.queue[:0], w.queue[w.most:]...)
		return batch
	}
	batch, w.queue = w.queue, old[:0]
	return batch
}

// write tries to write a batch until each op has been written or refused. It returns false if the writer has to end.
func (w *writer) write(batch []op) (lives bool) {
	for len(batch) > 0 {
		at, err := w.try(batch)
		if err == nil {
			if w.failing {
				w.failing = false
				w.report(errors.New("the file can be written again"))
			}
			break
		}
		if errors.Is(err, errUndone) && !ofAll(err) {
			continue // the other ops are written again, and the body that has rolled back isn't called again
		}
		if at >= 0 && !ofAll(err) {
			w.refuse(batch[at], err)
			batch = slices.Delete(batch, at, at+1)
			continue
		}
		if !w.failing {
			w.report(fmt.Errorf("the file can't be written, so no run goes on until it can: %w", err))
		}
		w.failing = true
		batch = unanswered(batch, err)
		if !w.rest() {
			return false
		}
		batch = append(batch, w.more()...)
	}
	if w.committed != nil && w.committed() {
		return false
	}
	for _, o := range batch {
		if o.written != nil {
			o.written()
		}
		if o.reply != nil {
			o.reply <- nil
		}
	}
	return true
}

// try writes a batch in one transaction. at is the index of the op that has failed; -1 if none has.
func (w *writer) try(batch []op) (at int, err error) {
	at = -1
	err = w.s.transact(w.clock.now(), func() error {
		for i, o := range batch {
			if err := o.write(w.s); err != nil {
				at = i
				return err
			}
		}
		return nil
	})
	return at, err
}

func (w *writer) refuse(o op, err error) {
	switch {
	case o.reply != nil:
		o.reply <- err
	case o.failed != nil:
		o.failed(fmt.Errorf("the file can't be written: %w", err))
	default:
		w.report(fmt.Errorf("the file can't be written: %w", err))
	}
}

// more takes the ops that were queued after the batch, so that callers that wait for them learn that the file can't be written.
func (w *writer) more() (all []op) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all, w.queue = w.queue, nil
	return all
}

// unanswered replies err to the callers that wait for an op of the batch, and returns the other ops.
func unanswered(batch []op, err error) []op {
	var rest []op
	for _, o := range batch {
		if o.reply != nil {
			o.reply <- err
		} else {
			rest = append(rest, o)
		}
	}
	return rest
}

func (w *writer) rest() bool {
	t := time.NewTimer(w.pause)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-w.hurry:
		return false
	}
}

func (w *writer) close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.some.Signal()
}
