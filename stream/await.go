package stream

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Await gives the result of f for each element. It calls f on up to b.Limit goroutines. It is for work that keeps
// processors busy, and for code that blocks. If each element takes little time, a goroutine takes several
// together, to keep busy for a fraction of a millisecond. There must be enough waiting elements for that: set b.Buffer
// to a few hundred for short work.
//
// Data that calls of f share with each other or with other code needs a lock. ctx ends when the stream does, with
// the reason as its cause; f should return soon then. The goroutines are started as by step.Await, when there is work
// for them.
//
// Errors: as with [Func]; a panic or runtime.Goexit is the error of its element. Goroutines take the elements in order. With
// b.Unordered each result comes when it is done. A nil f and a bad bound are reported by flow.Plan.Err.
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
	}).with(b.parameters)
}

// pool is a stage whose goroutines process its elements.
type pool[A, B any] struct {
	env
	Bound

	up      inlet[A]
	run     step.Step[op.Crew[*pool[A, B], unit], unit]
	lanes   op.Lanes // one for each goroutine
	workers int      // goroutines whose steps have begun and haven't failed
	missing int      // goroutines that take has to begin in place of goroutines that have ended
	held    int      // elements in the stage
	out     []B
	end     error // the error with which the stage before has ended; nil until then
	fails   error // the error that this stage fails with

	mu      sync.Mutex
	change  sync.Cond          // goroutines without work wait on it
	todo    fifo[A]            // elements that no goroutine has taken
	order   fifo[*piece[A, B]] // pieces in the order in which they leave the stage
	apart   []*piece[A, B]     // with Unordered, the pieces that aren't done; join moves each to order
	broken  []*piece[A, B]     // unfinished pieces of goroutines that f has ended; other goroutines finish them
	spare   []*piece[A, B]
	size    int           // number of elements of the latest piece
	cost    time.Duration // estimated time for one element; 0 if it isn't known or too short to be measured
	idle    int           // goroutines that wait
	hungry  bool          // the loop waits for a piece
	watched bool          // one of the goroutines watches for the end of its context
	closed  bool
	gone    int   // goroutines that f has ended, and whose steps haven't failed yet
	stopped error // the cause of the end of the goroutines' context; nil until a goroutine has returned at that end
}

func (p *pool[A, B]) begin(as step.Scope) step.Next[unit] {
	return step.Into(as, p.run, op.Crew[*pool[A, B], unit]{Elements: (*workersOf[A, B])(p), Limit: p.Limit})
}

func (p *pool[A, B]) poll(room int) ([]B, error) {
	p.take()
	taken := p.held
	p.out = p.out[:0]
	for left := 0; p.fails == nil && left < room; {
		n := p.leave(room - left)
		if n == 0 {
			break
		}
		left += n
	}
	switch {
	case len(p.out) > 0:
		return p.out, nil
	case p.fails != nil:
		return nil, p.fails
	case p.held < taken: // the elements that have left became letters, and there is room now
		p.p.wake()
	case p.end != nil && p.held == 0:
		return nil, p.end
	}
	return nil, errIdle
}

// take begins goroutines in place of those that f has ended. Unless the stage has failed, it then takes elements from the
// stage before, until there is no room for more or that stage has none. After burst chunks it stops and wakes the pipe, so
// that other work of the loop goes first.
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

// leave gives results of the piece that leaves the stage next, and returns the number of elements that
// have left. If that piece isn't done, leave returns 0, and the goroutine that finishes the piece wakes the pipe. The stage
// fails if the piece isn't done and a goroutine has returned at the end of its context.
func (p *pool[A, B]) leave(room int) int {
	p.mu.Lock()
	x := p.done()
	p.hungry = x == nil
	stopped := p.stopped
	p.mu.Unlock()
	if x == nil {
		p.fails = stopped
		return 0
	}
	n := p.give(x, room)
	if x.at == len(x.in) {
		x.reset()
		p.mu.Lock()
		p.order.drop(1)
		p.spare = append(p.spare, x)
		p.mu.Unlock()
	}
	return n
}

// done returns the piece that leaves the stage next, or nil if it isn't done. mu is held.
func (p *pool[A, B]) done() *piece[A, B] {
	if p.order.len() > 0 && p.order.rest()[0].done {
		return p.order.rest()[0]
	}
	return nil
}

// give takes up to room elements out of x, a piece that is done. It appends their results to p.out, or passes on their
// letters. It stops before a letter if p.out has results, which go on first. It returns how many elements it has taken out.
func (p *pool[A, B]) give(x *piece[A, B], room int) (n int) {
	if x.errs == nil {
		n = min(room, len(x.in)-x.at)
		p.out = append(p.out, x.out[x.at:x.at+n]...)
		x.at += n
		p.held -= n
		return n
	}
	for ; x.at < len(x.in) && n < room && p.fails == nil; n++ {
		at := x.at
		if x.errs[at] != nil && len(p.out) > 0 {
			break
		}
		x.at++
		p.held--
		if err := x.errs[at]; err != nil {
			p.fails = fail(p.env, x.in[at], p.path, err)
		} else {
			p.out = append(p.out, x.out[at])
		}
	}
	return n
}

func (p *pool[A, B]) close(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range slices.Concat(p.order.rest(), p.apart) {
		left := 0
		if x.done { // otherwise no element has left, and a goroutine may be changing x.at
			left = x.at
		}
		for at := left; at < len(x.in); at++ {
			if x.errs != nil && x.errs[at] != nil {
				failLater(p.env, x.in[at], p.path, x.errs[at])
			} else {
				lose(p.env, x.in[at:at+1], why)
			}
		}
	}
	lose(p.env, p.todo.rest(), why)
	p.up.close(why)
}

func (p *pool[A, B]) holds() int { return p.held }
