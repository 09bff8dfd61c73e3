package clustertest

import (
	"context"
	"errors"
	"time"

	"github.com/futoin-go/asyncsteps/internal/cluster"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Trip is how long a [Store] takes to answer.
const Trip = time.Millisecond

// ErrCut is the error of a request whose answer doesn't come.
var ErrCut = errors.New("the store can't be reached")

// Store imitates a server of places, in virtual time. Its loop is the clock of the guards that ask it.
type Store struct {
	*tooltest.Loop

	Lease   time.Duration
	Holders []*Holder                // by place; nil if the place was never taken, or was given back
	Told    map[uint64]time.Duration // by fence: when the holder was first told that its place is gone
	Late    bool                     // timers that are stopped fire nevertheless

	fence uint64
}

// NewStore makes a Store with the given number of places.
func NewStore(places int, lease time.Duration) *Store {
	return &Store{Loop: tooltest.New(), Lease: lease, Holders: make([]*Holder, places), Told: map[uint64]time.Duration{}}
}

// After implements [cluster.Clock].
func (s *Store) After(d time.Duration, f func()) (stop func()) {
	h, err := s.Deferred(max(d, 0), f)
	if err != nil {
		panic(err) // nobody shuts the loop down
	}
	return func() {
		if !s.Late {
			s.Cancel(h)
		}
	}
}

// Now implements [cluster.Clock].
func (s *Store) Now() time.Duration { return s.Loop.Now() }

// Free returns how many places are free.
func (s *Store) Free() int {
	n := 0
	for _, h := range s.Holders {
		if !s.held(h) {
			n++
		}
	}
	return n
}

func (s *Store) held(h *Holder) bool { return h != nil && h.Ends > s.Now() }

// Connect returns a connection of another process.
func (s *Store) Connect() *Connection { return &Connection{Store: s} }

// Connection is the connection of one process to a [Store].
type Connection struct {
	*Store

	Cut    bool  // the store can't be reached: Acquire goes on asking, Renew fails
	Refuse error // the answer to requests for a place, unless it is nil

	Asked int // requests that Ask has counted and that are under way
	Most  int // the greatest value of Asked so far
	Calls int // all requests that Ask has counted
}

// Holder is a place that a process has.
type Holder struct {
	By   *Connection
	At   int           // the index of the place
	Ends time.Duration // when the lease ends, as the store knows it

	fence uint64
	since time.Duration // when the lease began, as the holder knows it
}

// Ask counts a request. The caller reports its end by Answered.
func (c *Connection) Ask() {
	c.Asked++
	c.Calls++
	c.Most = max(c.Most, c.Asked)
}

// Answered reports the end of a request.
func (c *Connection) Answered() { c.Asked-- }

// Acquire implements [cluster.Places]. It tries to get a place every [Trip].
func (c *Connection) Acquire(ctx context.Context, wait bool, done func(cluster.Place, error)) {
	c.Ask()
	var try func(since time.Duration)
	again := func() {
		since := c.Now()
		c.After(Trip, func() { try(since) })
	}
	try = func(since time.Duration) {
		got, err := c.try(ctx, wait, since)
		if got == nil && err == nil {
			again()
			return
		}
		c.Answered()
		if err != nil {
			done(nil, err)
			return
		}
		done(got, nil)
	}
	again()
}

// try returns nil and no error if the connection has to ask again.
func (c *Connection) try(ctx context.Context, wait bool, since time.Duration) (*Holder, error) {
	if !c.Cut && c.Refuse != nil {
		return nil, c.Refuse
	}
	for i, h := range c.Holders {
		if !c.Cut && !c.held(h) {
			c.fence++
			h = &Holder{By: c, At: i, Ends: c.Now() + c.Lease, fence: c.fence, since: since}
			c.Holders[i] = h
			return h, nil
		}
	}
	if !c.Cut && !wait {
		return nil, cluster.ErrTaken
	}
	return nil, ctx.Err()
}

// Steal gives a place to c for the time of lease, even if another connection has the place.
func (c *Connection) Steal(place int, lease time.Duration) *Holder {
	h := &Holder{By: c, At: place, Ends: c.Now() + lease}
	c.Holders[place] = h
	return h
}

// Fence implements [cluster.Place].
func (h *Holder) Fence() uint64 { return h.fence }

// Since implements [cluster.Place].
func (h *Holder) Since() time.Duration { return h.since }

// Mine reports whether the store still has h as the holder of the place.
func (h *Holder) Mine() bool { return h.By.Holders[h.At] == h }

// Renew implements [cluster.Place].
func (h *Holder) Renew(ctx context.Context, done func(error)) {
	h.By.After(Trip, func() {
		switch {
		case h.By.Cut || ctx.Err() != nil:
			done(ErrCut)
		case !h.Mine():
			if _, told := h.By.Told[h.fence]; !told {
				h.By.Told[h.fence] = h.By.Now()
			}
			done(cluster.ErrLost)
		default:
			h.Ends = h.By.Now() + h.By.Lease
			done(nil)
		}
	})
}

// Release implements [cluster.Place].
func (h *Holder) Release() {
	if h.Mine() && !h.By.Cut {
		h.By.Holders[h.At] = nil
	}
}
