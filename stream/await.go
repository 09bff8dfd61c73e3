package stream

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Await gives f of each element, on up to b.Limit goroutines: for work that keeps processors busy, and for code that
// blocks. A goroutine takes several elements at once if they are short work, so many as take a fraction of a
// millisecond, and one if they take longer. For that there must be some that wait: set b.Buffer to some hundred for
// short work.
//
// f must not touch what other code touches without a lock. ctx ends when the stream does, with
// the reason as its cause; f should return soon then. The goroutines are those of step.Await. They begin
// when there is work for them, and live as long as the stream.
//
// Errors: as with [Func]; a panic or runtime.Goexit is the error of its element. Elements begin in their order. With
// b.Unordered results come as they are done. A nil f and a bad bound are reported by flow.Plan.Err.
func Await[In, A, B any](s Stream[In, A], b Bound, f func(ctx context.Context, element A) (B, error)) Stream[In, B] {
	run := crews(step.Await(func(ctx context.Context, p *pool[A, B]) (unit, error) {
		p.work(ctx, f)
		return unit{}, nil
	}).Stage())
	return behind("await", confined, s, first(missing(f == nil, "the function"), b.bad()), func(e env, up inlet[A]) inlet[B] {
		p := &pool[A, B]{env: e, up: up, Bound: b, run: run, size: 1}
		p.change.L = &p.mu
		e.p.tasks = append(e.p.tasks, p)
		return p
	})
}

// pool is a stage whose elements are worked on by goroutines.
type pool[A, B any] struct {
	env
	Bound

	up      inlet[A]
	run     step.Step[op.Crew[*pool[A, B], unit], unit]
	lanes   op.Lanes // of the goroutines
	workers int      // goroutines that have begun
	missing int      // how many of these f has ended, by a panic or runtime.Goexit
	held    int      // elements in the stage
	out     []B
	end     error // what the stage before has ended with; nil before
	fails   error // the error that this stage fails with

	mu      sync.Mutex
	change  sync.Cond          // signals changes of everything below
	todo    fifo[A]            // elements that no goroutine has taken
	order   fifo[*piece[A, B]] // pieces in the order in which they leave the stage
	apart   []*piece[A, B]     // with Unordered, the pieces that aren't done, which have no place in order yet
	broken  []*piece[A, B]     // pieces of goroutines that have ended
	spare   []*piece[A, B]
	size    int           // number of elements of the latest piece
	cost    time.Duration // estimated time for one element; 0 if it isn't known or too short to matter
	idle    int           // goroutines that wait
	hungry  bool          // the loop waits for a piece
	watched bool          // one of the goroutines is told when the stream ends
	closed  bool
}

// begin implements task.
func (p *pool[A, B]) begin(as step.Scope) step.Next[unit] {
	return step.Into(as, p.run, op.Crew[*pool[A, B], unit]{Elements: (*workersOf[A, B])(p), Limit: p.Limit})
}

func (p *pool[A, B]) poll(room int) ([]B, error) {
	p.take()
	taken := p.held
	p.out = p.out[:0]
	for p.fails == nil && len(p.out) < room && p.leave(room) {
	}
	switch {
	case len(p.out) > 0:
		return p.out, nil
	case p.fails != nil:
		return nil, p.fails
	case p.held < taken: // all that was taken became letters, so there is room now
		p.p.wake()
	case p.end != nil && p.held == 0:
		return nil, p.end
	}
	return nil, errIdle
}

// take takes elements from the stage before until there is no room, or that stage is idle.
func (p *pool[A, B]) take() {
	if n := p.missing; n > 0 {
		p.missing = 0
		p.lanes.Begin(n)
	}
	for n := 1; p.held < p.Limit+p.Buffer && p.end == nil && p.fails == nil; n++ {
		room := p.Limit + p.Buffer - p.held
		chunk, err := p.up.poll(min(room, most))
		p.enter(chunk)
		if err == errIdle { //nolint:errorlint // it isn't wrapped
			break
		}
		p.end = err
		if n == burst {
			p.p.wake()
			break
		}
	}
}

// enter queues elements for the goroutines, and starts goroutines if there are too few.
func (p *pool[A, B]) enter(chunk []A) {
	if len(chunk) == 0 {
		return
	}
	p.held += len(chunk)
	p.mu.Lock()
	p.todo.push(chunk...)
	pieces := min(p.todo.len(), p.Limit)
	woken := min(pieces, p.idle)
	p.mu.Unlock()
	for range woken {
		p.change.Signal()
	}
	p.lanes.Begin(min(pieces-woken, p.Limit-p.workers))
}

// leave gives results of the piece that is to leave the stage next. If that isn't done it reports false, and makes
// sure that the pipe is woken when it is.
func (p *pool[A, B]) leave(room int) bool {
	p.mu.Lock()
	x := p.done()
	p.hungry = x == nil
	p.mu.Unlock()
	if x == nil {
		return false
	}
	if p.give(x, room); x.at == len(x.in) {
		x.reset()
		p.mu.Lock()
		p.order.drop(1)
		p.spare = append(p.spare, x)
		p.mu.Unlock()
	}
	return true
}

// done returns the piece that may leave the stage next, or nil if it isn't done. The caller holds mu.
func (p *pool[A, B]) done() *piece[A, B] {
	if p.order.len() > 0 && p.order.rest()[0].done {
		return p.order.rest()[0]
	}
	return nil
}

// give appends results of x, a piece that is done, to the chunk until that has room elements, and passes on letters.
func (p *pool[A, B]) give(x *piece[A, B], room int) {
	if x.errs == nil {
		n := min(room-len(p.out), len(x.in)-x.at)
		p.out = append(p.out, x.out[x.at:x.at+n]...)
		x.at += n
		p.held -= n
		return
	}
	for x.at < len(x.in) && len(p.out) < room && p.fails == nil {
		at := x.at
		x.at++
		p.held--
		if err := x.errs[at]; err != nil {
			p.fails = fail(p.env, x.in[at], p.path, err)
		} else {
			p.out = append(p.out, x.out[at])
		}
	}
}

func (p *pool[A, B]) close(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range slices.Concat(p.order.rest(), p.apart) {
		from := 0 // until the piece is done, x.at belongs to the goroutine
		if x.done {
			from = x.at
		}
		lose(p.env, x.in[from:], why)
	}
	lose(p.env, p.todo.rest(), why)
	p.up.close(why)
}

func (p *pool[A, B]) holds() int { return p.held }
