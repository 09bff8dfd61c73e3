// Package reserve lets a goroutine that has called a function for a loop call the next one too. That saves time, because a new
// goroutine begins with a small stack, which is copied each time it has to grow.
package reserve

import (
	"runtime"
	"sync/atomic"
)

// most bounds the number of idle goroutines, and the number of ended goroutines whose memory is kept.
const most = 16

// Reserve holds the goroutines of a loop that have nothing to do. None of them sleeps: each calls runtime.Gosched once, and
// ends if it hasn't got a function by then. The zero Reserve is ready to use.
type Reserve struct {
	lease atomic.Uint32 // how often Renew was called
	idle  atomic.Int32  // an upper bound of the number of places taken
	place [most]atomic.Pointer[goroutine]

	// ended is a stack of the memory of goroutines that have ended. They push their memory, and Go pops it.
	ended  atomic.Pointer[goroutine]
	unused atomic.Int32 // an upper bound of the length of the stack
}

type goroutine struct {
	of    *Reserve
	lease uint32
	given atomic.Bool // fn is the next function to call
	fn    func()
	depth *Depth     // the Depth of the first function
	start func()     // bound to serve once
	below *goroutine // the next element of the stack Reserve.ended
}

// Go calls fn on an idle goroutine or on a new one; on a new one if r is nil. d tells how much stack fn needs. Only the
// goroutine that owns the loop calls it.
func (r *Reserve) Go(d *Depth, fn func()) {
	if r == nil {
		go d.call(fn)
		return
	}
	lease := r.lease.Load()
	if r.idle.Load() > 0 {
		for i := range r.place {
			if g := r.place[i].Load(); g != nil && g.lease == lease && r.place[i].CompareAndSwap(g, nil) {
				r.idle.Add(-1)
				g.fn = fn
				g.given.Store(true)
				return
			}
		}
	}
	g := r.pop()
	if g == nil {
		g = &goroutine{of: r}
		g.start = g.serve
	}
	g.lease, g.fn, g.depth = lease, fn, d
	go g.start()
}

func (r *Reserve) push(g *goroutine) {
	g.depth = nil
	if r.unused.Add(1) > most {
		r.unused.Add(-1)
		return
	}
	for {
		g.below = r.ended.Load()
		if r.ended.CompareAndSwap(g.below, g) {
			return
		}
	}
}

func (r *Reserve) pop() *goroutine {
	for {
		g := r.ended.Load()
		if g == nil {
			return nil
		}
		if r.ended.CompareAndSwap(g, g.below) { // g.below hasn't changed, because nobody else pops
			r.unused.Add(-1)
			g.below = nil
			return g
		}
	}
}

// Renew is called when the loop is reset. The goroutines that have called functions until now end, because a goroutine
// that was started in one bubble of synctest mustn't call functions of another. Only the goroutine that owns the loop
// calls Renew.
func (r *Reserve) Renew() { r.lease.Add(1) }

// serve calls one function after the other.
func (g *goroutine) serve() {
	for g.depth.call(g.fn); ; g.fn() {
		if g.rest(); g.fn == nil { // no place holds g
			g.of.push(g)
			return
		}
	}
}

// rest waits for the next function, and leaves fn nil if there is none.
func (g *goroutine) rest() {
	g.fn = nil
	g.given.Store(false)
	r := g.of
	if r.idle.Add(1) > most {
		r.idle.Add(-1)
		return
	}
	i := 0
	for !r.place[i].CompareAndSwap(nil, g) { // ends, because there is a free place
		i = (i + 1) % most
	}
	runtime.Gosched()
	if r.place[i].CompareAndSwap(g, nil) {
		r.idle.Add(-1)
		return
	}
	for !g.given.Load() { // Go has taken g from its place, and is about to store a function
		runtime.Gosched()
	}
}
