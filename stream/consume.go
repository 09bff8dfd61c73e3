package stream

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Consume is a sink of ordinary blocking code: body runs on a goroutine of its own and ranges over the
// elements, in order. What body gives is the result. At most ahead elements wait for it, so
// a slow body slows the stream.
//
// If body stops ranging and returns, the stream ends early: its source is stopped, and elements that wait are
// lost. If the stream fails or is cancelled, elements ends after those that wait already, and ctx ends, with the
// reason as its cause: finish what you have been given, or return at once. What body gives then is dropped. An error
// of body fails the stream, and so does a panic. A second range over elements goes on where the first one has
// stopped. The goroutine is joined as one of step.Await; if it outlives the grace, elements gives no more.
// A nil body and an ahead below 1 are reported by flow.Plan.Err.
func Consume[In, T, Out any](
	s Stream[In, T], ahead int, body func(ctx context.Context, in In, elements iter.Seq[T]) (Out, error),
) flow.Plan[In, Out] {
	run := beside(func(ctx context.Context, c *consumer[In, T, Out]) {
		stop := context.AfterFunc(ctx, c.shut)
		defer stop()
		var out Out
		var err error
		op.Protect(func() { out, err = body(ctx, c.in, c.all) }, func(broken error) {
			if broken != nil {
				err = c.broke(broken)
			}
			if ctx.Err() == nil {
				c.finish(out, err)
			} // otherwise body may have seen the end of elements because of that
		})
	})
	bad := first(missing(body == nil, "the body"), atLeast(1, ahead, "ahead"))
	return sink("consume", s, bad, func(e env, up inlet[T], in In) outlet[Out] {
		c := &consumer[In, T, Out]{env: e, up: up, in: in, run: run, size: ahead}
		c.change.L = &c.mu
		e.p.tasks = append(e.p.tasks, c)
		return c
	})
}

// consumer is the stage of consume: the loop puts elements into queue, and the goroutine of body takes them.
type consumer[In, T, Out any] struct {
	env

	up   inlet[T]
	in   In
	run  step.Step[*consumer[In, T, Out], unit]
	size int

	mu     sync.Mutex
	change sync.Cond // signals changes of everything below
	queue  []T
	rest   []T  // what the goroutine has got and not given to body
	full   bool // the driver waits for room
	over   bool // no more elements will come
	closed bool // the stream has failed
	done   bool // body has returned
	out    Out
	err    error
}

// begin implements task.
func (c *consumer[In, T, Out]) begin(as step.Scope) step.Next[unit] { return step.Into(as, c.run, c) }

func (c *consumer[In, T, Out]) pump() error {
	c.mu.Lock()
	room := c.size - len(c.queue) - len(c.rest)
	switch {
	case c.done && c.err != nil:
		c.mu.Unlock()
		return c.err
	case c.done:
		c.mu.Unlock()
		return errOver
	case c.over || room <= 0:
		c.full = true
		c.mu.Unlock()
		return errIdle
	}
	c.mu.Unlock()
	chunk, err := c.up.poll(min(room, most))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, chunk...)
	if err == errOver { //nolint:errorlint // it isn't wrapped
		c.over, err = true, nil
	}
	c.change.Signal()
	return err
}

// all is the iterator that body ranges over.
func (c *consumer[In, T, Out]) all(yield func(T) bool) {
	var batch, spare []T
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && !c.over && !c.closed {
			c.change.Wait()
		}
		if len(c.queue) == 0 { // also if the stream has failed: what waits already is still given
			c.mu.Unlock()
			return
		}
		batch, c.queue, spare = c.queue, spare[:0], c.queue
		c.rest = batch
		c.mu.Unlock()
		for i, v := range batch {
			if !yield(v) {
				c.keep(batch[i+1:])
				return
			}
		}
		c.keep(nil)
	}
}

// keep says what body has not been given of what the goroutine has got.
func (c *consumer[In, T, Out]) keep(rest []T) {
	c.mu.Lock()
	c.rest = rest
	full := c.full
	c.full = false
	c.mu.Unlock()
	if full {
		c.p.post()
	}
}

func (c *consumer[In, T, Out]) shut() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.change.Signal()
}

func (c *consumer[In, T, Out]) finish(out Out, err error) {
	c.mu.Lock()
	c.out, c.err, c.done = out, err, true
	c.mu.Unlock()
	c.p.post()
}

func (c *consumer[In, T, Out]) result() Out { return c.out }

func (c *consumer[In, T, Out]) close(why error) {
	c.mu.Lock()
	left := slices.Concat(c.rest, c.queue)
	c.mu.Unlock()
	lose(c.env, left, why)
	c.up.close(why)
}
