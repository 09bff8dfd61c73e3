package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// Throttle is a [syncx.Guard] over the rate that a server allows.
type Throttle struct {
	kind     string
	rate     Rate
	clock    Clock
	maxQueue int

	mu     sync.Mutex
	queue  queue
	inside map[*syncx.Ticket]struct{}
	used   bool // the server said last that there are no entries left
	asking bool
	stop   context.CancelFunc // of Take
	pause  func()             // stops the timer for the next one; nil while none waits
}

// NewThrottle makes a Throttle. At most maxQueue flows of this process wait while there
// are no entries left; below zero any number.
func NewThrottle(kind string, rate Rate, clock Clock, maxQueue int) *Throttle {
	return &Throttle{kind: kind, rate: rate, clock: clock, maxQueue: maxQueue, inside: map[*syncx.Ticket]struct{}{}}
}

// Inside is how many flows of this process are inside.
func (h *Throttle) Inside() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.inside)
}

// Queued is how many flows of this process wait.
func (h *Throttle) Queued() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.queue.len()
}

// Enter implements [syncx.Guard].
func (h *Throttle) Enter(t *syncx.Ticket) (entered bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.full() {
		return false, rejected(h.kind)
	}
	h.queue.push(t)
	h.ask()
	return false, nil
}

// pass is Enter for a ticket that waits already: false if it doesn't any more.
func (h *Throttle) pass(t *syncx.Ticket) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.full() {
		t.Refuse(rejected(h.kind))
		return false
	}
	h.queue.push(t)
	h.ask()
	return true
}

// full reports whether no more flows may wait. While a timer is running the server
// isn't asked: with a queue of none it has to be, once the pause is over.
func (h *Throttle) full() bool { return h.used && h.maxQueue >= 0 && h.queue.len() >= h.maxQueue }

// ask asks the server for all that wait, unless that is under way or it has said when to.
func (h *Throttle) ask() {
	if h.asking || h.pause != nil || h.queue.len() == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.asking, h.stop = true, cancel
	h.rate.Take(ctx, h.queue.len(), func(got int, after time.Duration, err error) {
		cancel()
		h.mu.Lock()
		defer h.mu.Unlock()
		h.asking = false
		h.answered(got, after, err)
		h.ask()
	})
}

func (h *Throttle) answered(got int, after time.Duration, err error) {
	switch {
	case err == nil && got > 0:
		h.used = false
		h.admit(got)
	case err == nil:
		h.used = true
		for h.maxQueue >= 0 && h.queue.len() > h.maxQueue {
			h.queue.last().Refuse(rejected(h.kind))
		}
		h.pause = h.clock.After(after, h.resume)
	case errors.Is(err, context.Canceled): // the queue was empty
	default:
		for t := h.queue.first(); t != nil; t = h.queue.first() {
			t.Refuse(failed(h.kind, err))
		}
	}
}

// resume ends the pause.
func (h *Throttle) resume() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pause, h.used = nil, false
	h.ask()
}

// admit lets n in. Entries that nobody wants any more are used up.
func (h *Throttle) admit(n int) {
	for n > 0 {
		t := h.queue.first()
		if t == nil {
			return
		}
		if t.Grant() {
			h.inside[t] = struct{}{}
			n--
		}
	}
}

// Leave implements [syncx.Guard].
func (h *Throttle) Leave(t *syncx.Ticket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.inside, t)
}

// Withdraw implements [syncx.Guard].
func (h *Throttle) Withdraw(t *syncx.Ticket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.queue.remove(t) && h.queue.len() == 0 && h.asking {
		h.stop()
	}
}
