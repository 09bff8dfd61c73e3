package stream

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/step"
)

// Consume is a sink of ordinary blocking code: body runs on a goroutine of its own and ranges over the
// elements, in order. The result of body is that of the plan. Up to ahead elements wait for body, so
// a slow body slows the stream.
//
// If body stops ranging and returns, the stream ends early: its source is stopped, and elements that wait are lost. If
// the stream fails or is cancelled, the range ends after the elements that wait already, and ctx ends, with the reason
// as its cause: finish what you have been given, or return at once. Only [Run] returns the result of body then. An error
// or a panic of body fails the stream.
//
// A second range over elements goes on where the first one has stopped. If the second is nested in the first, the first
// goes on after the elements that the second has taken. The stream waits for the goroutine as step.Await does; if the goroutine
// outlives the grace, body gets no more elements. A nil body and an ahead below 1 are reported by flow.Plan.Err.
func Consume[In, T, Out any](
	s Stream[In, T], ahead int, body func(ctx context.Context, in In, elements iter.Seq[T]) (Out, error),
) flow.Plan[In, Out] {
	return consume("consume", s, ahead, missing(body == nil, "the body"),
		func(ctx context.Context, in In, elements iter.Seq[T], out *Out, _ func(int)) (err error) {
			*out, err = body(ctx, in, elements)
			return err
		})
}

// consume makes the plan of a sink whose body ranges over the elements on a goroutine, and writes its result to out. Before it
// returns, body may call undone with the number of elements that it has taken and not delivered.
func consume[In, T, Out any](
	kind string, s Stream[In, T], ahead int, bad string,
	body func(ctx context.Context, in In, elements iter.Seq[T], out *Out, undone func(n int)) error,
) flow.Plan[In, Out] {
	run := beside(func(ctx context.Context, c *consumer[In, T, Out]) {
		stop := context.AfterFunc(ctx, c.shut)
		defer stop()
		var out Out
		var err error
		usercode.Protect(func() { err = body(ctx, c.in, c.all, &out, c.undone) }, func(broken error) {
			if broken != nil {
				err = c.broke(broken)
			}
			if ctx.Err() != nil { // body may have seen the end of the elements only because the context has ended
				c.late(broken)
				err = context.Cause(ctx)
			}
			c.finish(out, err)
		})
	})
	consumed := sink(kind, s, first(bad, atLeast(1, ahead, "ahead")), func(e env, up inlet[T], in In) outlet[Out] {
		c := &consumer[In, T, Out]{env: e, up: up, in: in, run: run, size: ahead}
		c.change.L = &c.mu
		e.p.tasks = append(e.p.tasks, c)
		return c
	})
	consumed.Stage().Node().Confined = confined
	return consumed
}

// consumer is the stage of consume: the loop puts elements into queue, and the goroutine of body takes them.
type consumer[In, T, Out any] struct {
	env

	up   inlet[T]
	in   In
	run  step.Step[*consumer[In, T, Out], unit]
	size int

	mine []T // the slice batch, which body's goroutine reads without mu; only this goroutine uses mine and at
	at   int // number of elements of mine that body was given

	given atomic.Int32 // number of elements of batch that body was given; isClosed after close

	mu     sync.Mutex
	change sync.Cond // the goroutine waits on it
	queue  []T
	batch  []T  // elements that the goroutine has taken out of queue, and gives to body
	spare  []T  // memory of a batch, for reuse
	back   int  // number of elements that body was given and has not delivered
	full   bool // the driver waits for room, or for the end of body
	over   bool // no more elements will come
	closed bool // the stream, or the context of body, has ended
	done   bool // body has returned
	out    Out
	err    error
}

// isClosed is the value of consumer.given that keeps the goroutine from giving elements to body.
const isClosed = -1

func (c *consumer[In, T, Out]) begin(as step.Scope) step.Next[unit] { return step.Into(as, c.run, c) }

func (c *consumer[In, T, Out]) pump() error {
	c.mu.Lock()
	room := c.size - len(c.queue) - len(c.batch)
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

func (c *consumer[In, T, Out]) all(yield func(T) bool) {
	defer c.keep() // even if body panics
	for {
		if c.at == len(c.mine) {
			c.keep()
			if c.mine = c.next(); len(c.mine) == 0 {
				return
			}
		}
		if !c.given.CompareAndSwap(int32(c.at), int32(c.at+1)) {
			return // close has reported the other elements as lost: body has outlived the grace
		}
		c.at++ // first, because a range inside of yield goes on after this element
		if !yield(c.mine[c.at-1]) {
			return
		}
	}
}

// next waits for elements and returns those that body is given next. It returns none at the end.
func (c *consumer[In, T, Out]) next() []T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.batch) == 0 {
		for len(c.queue) == 0 && !c.over && !c.closed {
			c.change.Wait()
		}
		c.batch, c.queue, c.spare = c.queue, c.spare[:0], c.queue // elements that were queued before the stream failed are still given
	}
	return c.batch
}

// keep removes the elements that body was given from the batch, and makes the driver go on if it waits for room.
func (c *consumer[In, T, Out]) keep() {
	c.mu.Lock()
	if n := c.given.Load(); n > 0 {
		c.batch = c.batch[n:]
		c.given.Store(0)
	}
	c.mine, c.at = c.mine[c.at:], 0
	full := c.full
	c.full = false
	c.mu.Unlock()
	if full {
		c.p.post()
	}
}

// undone records that body has not delivered n of its elements. close counts them as lost.
func (c *consumer[In, T, Out]) undone(n int) {
	c.mu.Lock()
	c.back += n
	c.mu.Unlock()
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

func (c *consumer[In, T, Out]) reported() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done
}

func (c *consumer[In, T, Out]) result() Out {
	c.mu.Lock() // locked, because body may have outlived the grace
	defer c.mu.Unlock()
	return c.out
}

func (c *consumer[In, T, Out]) close(why error) {
	c.mu.Lock()
	given := c.given.Swap(isClosed)
	left := c.back + len(c.batch) - int(given) + len(c.queue)
	c.back, c.batch, c.queue, c.spare, c.closed = 0, nil, nil, nil, true
	c.mu.Unlock()
	c.change.Signal()
	c.lost(left) // without letters, because there is no Catch behind a sink
	c.up.close(why)
}

func (c *consumer[In, T, Out]) holds() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue) + len(c.batch) - int(c.given.Load())
}
