package storm_test

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/stream"
)

// A unit is an element of a stream. One that was given must be heard of, and only once unless it opens something: it passes the
// last stage, an operator drops it, or there is a letter for it. As many as exec.slack needn't be heard of.
type unit struct {
	exec   *exec
	number int
	opens  bool    // open was called, because a stream or an iterator is opened on it
	parts  []*unit // those it was made of, which are heard of with it
	ends   *unit   // the one of which it is the last part
	heard  atomic.Int32
	passed atomic.Int32 // how often it has passed the last stage
	seen   atomic.Int32 // how often by the sink
	given  atomic.Bool
}

// An exec is one execution of a stream.
type exec struct {
	tok
	node *node

	mu       sync.Mutex
	units    []*unit
	keys     map[[2]int]bool
	channels []chan *unit // sources, which keep what isn't received
	slack    atomic.Int64
	finished atomic.Bool
	stopped  atomic.Bool // the sink wants no more
}

func (x *exec) unit(parts ...*unit) *unit {
	x.mu.Lock()
	defer x.mu.Unlock()
	u := &unit{exec: x, number: len(x.units), parts: parts}
	if parts == nil {
		x.units = append(x.units, u)
	}
	return u
}

// born returns a unit that the source gives now.
func (x *exec) born() *unit {
	u := x.unit()
	u.given.Store(true)
	return u
}

func (u *unit) hear() {
	u.heard.Add(1)
	for _, p := range u.parts {
		p.hear()
	}
}

// open records that a letter may come after the end of u was seen.
func (u *unit) open() {
	u.opens = true
	for _, p := range u.parts {
		p.open()
	}
}

func (u *unit) pass() {
	u.passed.Add(1)
	u.heard.Add(1)
	for _, p := range u.parts {
		p.pass()
	}
}

func (u *unit) see() {
	u.seen.Add(1)
	for _, p := range u.parts {
		p.see()
	}
}

// letters notes that the elements with a letter in err were heard of.
func letters(err error) { lettered(err, (*unit).hear) }

func lettered(err error, hear func(*unit)) {
	switch err := err.(type) {
	case *stream.Letter[*unit]:
		hear(err.Element)
	case *stream.Letter[[]*unit]:
		for _, u := range err.Element {
			hear(u)
		}
	case *stream.Letter[flow.Pair[time.Time, *unit]]:
		hear(err.Element.B)
	case *stream.Letter[flow.Pair[*unit, *unit]]:
		hear(err.Element.A)
		hear(err.Element.B)
	case interface{ Unwrap() error }:
		lettered(err.Unwrap(), hear)
	case interface{ Unwrap() []error }:
		for _, err := range err.Unwrap() {
			lettered(err, hear)
		}
	}
}

func (x *exec) heard(err error) {
	for _, c := range x.channels {
		for u := range c {
			u.given.Store(false) // it has stayed in the channel
		}
	}
	unheard := 0
	for _, u := range x.units {
		switch n := u.heard.Load(); {
		case n == 0 && u.given.Load():
			unheard++
		case n > 1 && !u.opens:
			x.life.wrong("stream", "element %d of stream #%d was heard of %d times; the run: %v", u.number, x.node.id, n, err)
		}
		if n := u.seen.Load(); n > 1 {
			x.life.wrong("stream", "element %d of stream #%d was given to the sink %d times", u.number, x.node.id, n)
		} else if n == 0 && u.passed.Load() > 0 && x.finished.Load() && !x.stopped.Load() {
			x.life.wrong("stream", "element %d of stream #%d has passed, and the sink, which succeeded, hasn't got it", u.number, x.node.id)
		}
	}
	if unheard > int(x.slack.Load()) {
		x.life.wrong("stream", "%d of %d elements of stream #%d were not heard of, %d may be; the run: %v", unheard, len(x.units), x.node.id, x.slack.Load(), err)
	}
}
