package stream

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// worth is how long a goroutine should work on the elements that it takes at once.
const worth = 200 * time.Microsecond

// piece is a group of elements that one goroutine processes.
type piece[A, B any] struct {
	in   []A
	out  []B
	errs []error // nil until an element has failed; written while pool.mu is held, because close may read it before the piece is done
	done bool
	at   int // number of elements that were processed; once done, number of elements that have left the stage

	place int // index in pool.apart, if the piece is there
}

// reset clears x for reuse, so that it refers to no elements.
func (x *piece[A, B]) reset() {
	clear(x.in)
	clear(x.out)
	*x = piece[A, B]{in: x.in[:0], out: x.out[:0]}
}

func (p *pool[A, B]) work(ctx context.Context, f func(context.Context, A) (B, error)) {
	var x *piece[A, B]
	defer func() {
		if cause := context.Cause(ctx); cause != nil {
			p.stop(cause)
		} else if x != nil { // f has ended the goroutine
			p.mu.Lock()
			p.broken = append(p.broken, x)
			p.gone++
			p.mu.Unlock()
		}
	}()
	w := watch{ctx: ctx}
	defer func() { p.unwatch(&w) }()
	host := usercode.HostOf(p.p.loop)
	for x = p.claim(&w, nil, 0); x != nil; {
		began := host.Now()
		if !p.process(ctx, x, f) {
			return // the context has ended
		}
		x = p.claim(&w, x, host.Now()-began)
	}
}

// watch has the context of a goroutine, whose end is the end of the stream. While goroutines wait for elements, one of them
// watches its context for all.
type watch struct {
	ctx  context.Context
	stop func() bool // stops watching the context; nil unless this goroutine watches it
}

// unwatch is called when the goroutine of w returns. If that goroutine has watched its context, a waiting goroutine watches
// from now on.
func (p *pool[A, B]) unwatch(w *watch) {
	if w.stop == nil {
		return
	}
	w.stop()
	p.mu.Lock()
	p.watched = false
	p.mu.Unlock()
	p.change.Broadcast()
}

// stop makes the stage fail with cause, because a goroutine has returned at the end of its context. In the acquire
// of a Bracket, that end doesn't cancel the steps of the stream, so the stage would wait for ever.
func (p *pool[A, B]) stop(cause error) {
	p.mu.Lock()
	p.stopped = cause
	p.mu.Unlock()
	p.p.post()
}

func (p *pool[A, B]) shut() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.change.Broadcast()
}

// claim waits for a piece to work on, and returns nil once the pool is closed. last is the piece that the goroutine has just
// finished, and took is how long it has worked on last. In the first call of a goroutine, last is nil.
func (p *pool[A, B]) claim(w *watch, last *piece[A, B], took time.Duration) *piece[A, B] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last != nil {
		last.done, last.at = true, 0
		if p.Unordered {
			p.join(last)
		}
		p.learn(took / time.Duration(len(last.in)))
		p.tell()
	}
	for p.todo.len() == 0 && len(p.broken) == 0 && !p.closed {
		if !p.watched {
			p.watched, w.stop = true, context.AfterFunc(w.ctx, p.shut)
		}
		p.idle++
		p.change.Wait()
		p.idle--
	}
	if p.closed {
		return nil
	}
	if n := len(p.broken); n > 0 {
		x := p.broken[n-1]
		p.broken = p.broken[:n-1]
		return x
	}
	x := p.piece()
	n := p.pieceSize()
	if cap(x.in) < n {
		x.in, x.out = make([]A, 0, n), make([]B, 0, n)
	}
	x.in = append(x.in, p.todo.rest()[:n]...)
	p.todo.drop(n)
	if p.Unordered {
		x.place = len(p.apart)
		p.apart = append(p.apart, x)
	} else {
		p.order.push(x)
	}
	return x
}

// join moves x, a piece that is done, from apart to the end of order; mu is held.
func (p *pool[A, B]) join(x *piece[A, B]) {
	last := len(p.apart) - 1
	p.apart[x.place] = p.apart[last]
	p.apart[x.place].place = x.place
	p.apart[last] = nil
	p.apart = p.apart[:last]
	p.order.push(x)
}

// tell wakes the loop and yields the processor, if the loop waits for results that are done now. mu is held; tell unlocks
// it meanwhile.
func (p *pool[A, B]) tell() {
	if !p.hungry || p.done() == nil {
		return
	}
	p.hungry = false
	p.mu.Unlock()
	p.p.post()
	runtime.Gosched()
	p.mu.Lock()
}

// learn updates the estimated time for one element; mu is held.
func (p *pool[A, B]) learn(each time.Duration) {
	if p.cost == 0 {
		p.cost = each
		return
	}
	p.cost += (min(each, 4*p.cost) - p.cost) / 4 // limited, because a goroutine may also have waited for a processor
}

// pieceSize returns the number of elements for the next piece: as many as take about worth, but at most twice
// as many as in the piece before, and few enough to leave some for the other goroutines. It is at least 1. mu is held.
func (p *pool[A, B]) pieceSize() int {
	n := min(2*p.size, p.todo.len()/(2*p.Limit), most)
	if p.cost > 0 {
		n = min(n, int(worth/p.cost))
	}
	p.size = max(1, n)
	return p.size
}

func (p *pool[A, B]) piece() *piece[A, B] {
	if last := len(p.spare) - 1; last >= 0 {
		x := p.spare[last]
		p.spare = p.spare[:last]
		return x
	}
	return new(piece[A, B])
}

// process processes the elements of x. It reports false if ctx ends before all are processed.
func (p *pool[A, B]) process(ctx context.Context, x *piece[A, B], f func(context.Context, A) (B, error)) bool {
	for x.at < len(x.in) {
		if ctx.Err() != nil {
			return false
		}
		usercode.Protect(func() {
			for x.at < len(x.in) && ctx.Err() == nil {
				v, err := f(ctx, x.in[x.at])
				if gaveUp(ctx, err) {
					return // the element is lost with the stream
				}
				p.result(x, v, err)
			}
		}, func(broken error) {
			if broken != nil {
				var none B
				p.result(x, none, panicked(broken))
			}
			if ctx.Err() != nil {
				p.late(broken) // nobody takes the result
			}
		})
	}
	return true
}

// gaveUp reports whether f has returned err because ctx has ended.
func gaveUp(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)))
}

func (p *pool[A, B]) result(x *piece[A, B], v B, err error) {
	x.out = append(x.out, v)
	if err != nil {
		p.mu.Lock()
		if x.errs == nil {
			x.errs = make([]error, len(x.in))
		}
		x.errs[x.at] = err
		p.mu.Unlock()
	}
	x.at++
}

// workersOf is a pool that implements op.Elements for a crew whose elements are the goroutines of the pool.
// Each lane waits for one of them.
type workersOf[A, B any] pool[A, B]

func (p *workersOf[A, B]) Begun(lanes op.Lanes) {
	p.lanes = lanes
	lanes.Begin(min(p.held, p.Limit))
}

func (p *workersOf[A, B]) Next() (*pool[A, B], int32, bool) {
	if p.workers == p.Limit {
		return nil, 0, false
	}
	p.workers++
	return (*pool[A, B])(p), 0, true
}

// Done implements op.Elements. It does nothing: goroutines return when the stream ends.
func (*workersOf[A, B]) Done(int32, unit) {}

// Failed implements op.Elements. If the user's function has called runtime.Goexit, take begins another goroutine. After a
// call of stop, every failure counts as a Goexit. Otherwise the loop has refused the goroutine, and the stage fails with err.
func (p *workersOf[A, B]) Failed(_ int32, err error, _ string) {
	p.mu.Lock()
	ended := p.gone > 0 || p.stopped != nil
	p.gone = max(0, p.gone-1)
	p.mu.Unlock()
	p.workers--
	if ended {
		p.missing++
	} else if p.fails == nil {
		p.fails = err
	}
	p.p.wake()
}
