package stream

import (
	"context"
	"runtime"
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
)

// worth is how long a goroutine should work on the elements that it takes at once. Taking them, and
// telling the loop of them, costs about a microsecond.
const worth = 200 * time.Microsecond

// piece is some elements that one goroutine deals with.
type piece[A, B any] struct {
	in   []A
	out  []B
	errs []error // nil unless one of them has failed
	done bool
	at   int // elements that have been dealt with; once done, those that have left

	place int // in pool.apart, if it is there
}

// reset drops what x refers to.
func (x *piece[A, B]) reset() {
	clear(x.in)
	clear(x.out)
	*x = piece[A, B]{in: x.in[:0], out: x.out[:0]}
}

// work is one of the goroutines.
func (p *pool[A, B]) work(ctx context.Context, f func(context.Context, A) (B, error)) {
	var x *piece[A, B]
	defer func() {
		if x != nil { // f has ended the goroutine, or the stream has ended
			p.mu.Lock()
			p.broken = append(p.broken, x)
			p.mu.Unlock()
		}
	}()
	w := watch{ctx: ctx}
	defer func() { p.unwatch(&w) }()
	host := p.p.loop.Host()
	for x = p.claim(&w, nil, 0); x != nil; {
		began := host.Now()
		if !x.run(ctx, f) {
			return // the stream has ended
		}
		x = p.claim(&w, x, host.Now()-began)
	}
}

// watch is what a goroutine does for those that wait: one of them hears of the end of the stream for all.
type watch struct {
	ctx  context.Context
	stop func() bool // nil unless it is this one
}

// unwatch leaves the watch to another goroutine that waits: this one returns.
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

func (p *pool[A, B]) shut() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.change.Broadcast()
}

// claim gives elements to work on; nil if the stream has ended. last is what the goroutine has done before, if
// anything, and took is how long.
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

// join gives a piece that is done its place in the order; mu is held.
func (p *pool[A, B]) join(x *piece[A, B]) {
	last := len(p.apart) - 1
	p.apart[x.place] = p.apart[last]
	p.apart[x.place].place = x.place
	p.apart[last] = nil
	p.apart = p.apart[:last]
	p.order.push(x)
}

// tell wakes the loop if it waits for what is done now; mu is held. The loop goes first then: if all processors
// are busy with elements it would wait for long, and they would soon have nothing to do.
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

// learn notes what an element has cost; mu is held.
func (p *pool[A, B]) learn(each time.Duration) {
	if p.cost == 0 {
		p.cost = each
		return
	}
	p.cost += (min(each, 4*p.cost) - p.cost) / 4 // a goroutine that had to wait for a processor is no measure
}

// pieceSize is how many elements the next piece has: so many as are worth it, but no more than twice what
// the one before has had, and some are left for the other goroutines. mu is held.
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

// run deals with all elements. It reports false if ctx has ended before.
func (x *piece[A, B]) run(ctx context.Context, f func(context.Context, A) (B, error)) bool {
	for x.at < len(x.in) {
		if ctx.Err() != nil {
			return false
		}
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
	return true
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

// workersOf is a pool as the lanes see it that its goroutines belong to: each of them runs one.
type workersOf[A, B any] pool[A, B]

// Begun implements op.Elements.
func (p *workersOf[A, B]) Begun(lanes op.Lanes) {
	p.lanes = lanes
	lanes.Begin(min(p.held, p.Limit))
}

// Next implements op.Elements.
func (p *workersOf[A, B]) Next() (*pool[A, B], int32, bool) {
	if p.workers == p.Limit {
		return nil, 0, false
	}
	p.workers++
	return (*pool[A, B])(p), 0, true
}

// Done implements op.Elements. A goroutine returns when the stream has ended.
func (*workersOf[A, B]) Done(int32, unit) {}

// Failed implements op.Elements: f has ended the goroutine, which is the error of its element. Another one goes on.
func (p *workersOf[A, B]) Failed(int32, error, string) {
	p.workers--
	p.missing++
	p.p.wake()
}
