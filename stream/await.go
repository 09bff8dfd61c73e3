package stream

import (
	"context"
	"sync"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Await gives f of each element, on b.Limit goroutines: for work that keeps processors busy, and for code that
// blocks. Elements are handed to them in pieces, smaller ones if there are few, so that what that costs is
// little for each. Set b.Buffer to some hundred for short work, otherwise pieces are of one element.
//
// f must not touch what other code touches without a lock. ctx ends when the stream does, with
// the reason as its cause; f should return soon then. The goroutines are those of step.Await, and live
// as long as the stream.
//
// Errors: as with [Func]; a panic is the error of its element. Elements begin in their order. With
// b.Unordered results come by pieces. A nil f and a bad bound are reported by flow.Plan.Err.
func Await[In, A, B any](s Stream[In, A], b Bound, f func(ctx context.Context, element A) (B, error)) Stream[In, B] {
	run := step.Await(func(ctx context.Context, p *pool[A, B]) (unit, error) {
		stop := context.AfterFunc(ctx, p.shut)
		defer stop()
		p.work(ctx, f)
		return unit{}, nil
	})
	return after("await", s, first(missing(f == nil, "the function"), b.bad()), func(e env, up inlet[A]) inlet[B] {
		p := &pool[A, B]{env: e, up: up, Bound: b, run: run}
		p.change.L = &p.mu
		for range b.Limit {
			e.p.tasks = append(e.p.tasks, p)
		}
		return p
	})
}

// pool is a stage whose elements are worked on by goroutines.
type pool[A, B any] struct {
	env
	Bound

	up    inlet[A]
	run   step.Step[*pool[A, B], unit]
	order []*piece[A, B] // all in the stage, in the order in which they came
	held  int            // elements in them that have not left
	out   []B
	spare []*piece[A, B]
	end   error // what the stage before has ended with; nil before
	fails error // what this one has

	mu     sync.Mutex
	change sync.Cond // of everything below, and of piece.done
	todo   []*piece[A, B]
	hungry bool // the loop waits for a piece
	closed bool
}

// piece is some elements that one goroutine deals with.
type piece[A, B any] struct {
	in   []A
	out  []B
	errs []error // nil unless one of them has failed
	done bool
	at   int // elements that have been dealt with; once done, those that have left
}

// begin implements task.
func (p *pool[A, B]) begin(as step.Scope) step.Next[unit] { return step.Into(as, p.run, p) }

func (p *pool[A, B]) poll(room int) ([]B, error) {
	p.take()
	p.out = p.out[:0]
	before := p.held
	for p.fails == nil && len(p.out) < room {
		x, i := p.ready()
		if x == nil {
			break
		}
		p.leave(x, room)
		if x.at == len(x.in) {
			p.order = append(p.order[:i], p.order[i+1:]...)
			p.recycle(x)
		}
	}
	switch {
	case len(p.out) > 0:
		return p.out, nil
	case p.fails != nil:
		return nil, p.fails
	case p.held < before: // all of them letters: there is room now
		p.p.wake()
	case p.end != nil && p.held == 0:
		return nil, p.end
	}
	return nil, errIdle
}

// take fills the stage from the one before it, until there is no room, or that one is idle.
func (p *pool[A, B]) take() {
	first := len(p.order)
	for room := p.Limit + p.Buffer - p.held; room > 0 && p.end == nil && p.fails == nil; room = p.Limit + p.Buffer - p.held {
		chunk, err := p.up.poll(min(room, most))
		p.enter(chunk)
		if err == errIdle { //nolint:errorlint // it isn't wrapped
			break
		}
		p.end = err
	}
	if first == len(p.order) {
		return
	}
	p.mu.Lock()
	p.todo = append(p.todo, p.order[first:]...)
	p.mu.Unlock()
	p.change.Broadcast()
}

// enter makes pieces of elements.
func (p *pool[A, B]) enter(chunk []A) {
	p.held += len(chunk)
	size := max(1, len(chunk)/(2*p.Limit))
	for len(chunk) > 0 {
		n := min(size, len(chunk))
		x := p.piece()
		x.in = append(x.in, chunk[:n]...)
		chunk = chunk[n:]
		p.order = append(p.order, x)
	}
}

// ready gives a piece that may leave the stage, and its place in order. If there is none, it
// sees to it that the pipe is woken when there is one.
func (p *pool[A, B]) ready() (x *piece[A, B], i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, x := range p.order {
		if x.done {
			return x, i
		}
		if !p.Unordered {
			break
		}
	}
	p.hungry = true
	return nil, 0
}

// leave gives results of a piece that is done, and its letters.
func (p *pool[A, B]) leave(x *piece[A, B], room int) {
	if x.errs == nil {
		n := min(room-len(p.out), len(x.in)-x.at)
		p.out = append(p.out, x.out[x.at:x.at+n]...)
		x.at += n
		p.held -= n
		return
	}
	for x.at < len(x.in) && len(p.out) < room && p.fails == nil {
		if err := x.errs[x.at]; err != nil {
			p.fails = fail(p.env, x.in[x.at], p.path, err)
		} else {
			p.out = append(p.out, x.out[x.at])
		}
		x.at++
		p.held--
	}
}

func (p *pool[A, B]) piece() *piece[A, B] {
	if last := len(p.spare) - 1; last >= 0 {
		x := p.spare[last]
		p.spare = p.spare[:last]
		return x
	}
	return new(piece[A, B])
}

func (p *pool[A, B]) recycle(x *piece[A, B]) {
	clear(x.in)
	clear(x.out)
	*x = piece[A, B]{in: x.in[:0], out: x.out[:0]}
	p.spare = append(p.spare, x)
}

// work is one of the goroutines.
func (p *pool[A, B]) work(ctx context.Context, f func(context.Context, A) (B, error)) {
	for {
		p.mu.Lock()
		for len(p.todo) == 0 && !p.closed {
			p.change.Wait()
		}
		if p.closed {
			p.mu.Unlock()
			return
		}
		x := p.todo[0]
		p.todo = p.todo[1:]
		p.mu.Unlock()
		x.run(ctx, f)
		if x.at < len(x.in) {
			return // the stream has ended
		}
		p.mu.Lock()
		x.done, x.at = true, 0
		hungry := p.hungry
		p.hungry = false
		p.mu.Unlock()
		if hungry {
			p.p.post()
		}
	}
}

// run deals with all elements, unless ctx ends before.
func (x *piece[A, B]) run(ctx context.Context, f func(context.Context, A) (B, error)) {
	for x.at < len(x.in) && ctx.Err() == nil {
		op.Protect(func() {
			for x.at < len(x.in) && ctx.Err() == nil {
				v, err := f(ctx, x.in[x.at])
				x.result(v, err)
			}
		}, func(broken error) {
			if broken != nil {
				var none B
				x.result(none, panicked(broken))
			}
		})
	}
}

func (x *piece[A, B]) result(v B, err error) {
	x.out = append(x.out, v)
	if err != nil {
		if x.errs == nil {
			x.errs = make([]error, len(x.in))
		}
		x.errs[x.at] = err
	}
	x.at++
}

func (p *pool[A, B]) shut() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.change.Broadcast()
}

func (p *pool[A, B]) close(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.order {
		from := 0 // at is the goroutine's before
		if x.done {
			from = x.at
		}
		lose(p.env, x.in[from:], why)
	}
	p.order = nil
	p.up.close(why)
}
