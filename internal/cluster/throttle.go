package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// Throttle is a [syncx.Guard] that asks a server for entries.
type Throttle struct {
	kind     string
	rate     Rate
	clock    Clock
	maxQueue int

	mu     sync.Mutex
	queue  queue
	inside map[*syncx.Ticket]struct{}
	used   bool // the server has answered that no entries are left, and the time for the next request hasn't come
	asking bool
	stop   context.CancelFunc // cancels the call of Take that is under way
	pause  func()             // stops the timer of the next request; nil while none is set
}

// NewThrottle makes a Throttle. From an answer that no entries are left to the next request, at most maxQueue flows of this
// process wait; a negative maxQueue is no limit.
func NewThrottle(kind string, rate Rate, clock Clock, maxQueue int) *Throttle {
	return &Throttle{kind: kind, rate: rate, clock: clock, maxQueue: maxQueue, inside: map[*syncx.Ticket]struct{}{}}
}

// Inside returns how many entries of this process haven't left yet.
func (h *Throttle) Inside() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.inside)
}

// Queued returns how many flows of this process wait.
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

// pass queues a ticket that has got its place from the Limiter's mutex. If the queue is full, pass refuses the ticket and reports
// false.
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

// full reports whether no more flows may wait. With a maxQueue of 0 a flow has to be queued before the server can be asked,
// so the queue counts as full only while used is set.
func (h *Throttle) full() bool { return h.used && h.maxQueue >= 0 && h.queue.len() >= h.maxQueue }

// ask asks the server for entries for the flows that wait, unless a request is under way or the server has said to ask
// later.
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
			h.queue.takeLast().Refuse(rejected(h.kind))
		}
		h.pause = h.clock.After(after, h.resume)
	case errors.Is(err, context.Canceled): // by Withdraw, which had emptied the queue
	default:
		for t := h.queue.takeFirst(); t != nil; t = h.queue.takeFirst() {
			t.Refuse(failed(h.kind, err))
		}
	}
}

func (h *Throttle) resume() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pause, h.used = nil, false
	h.ask()
}

// admit lets up to n flows in. Entries that are left when the queue is empty are lost.
func (h *Throttle) admit(n int) {
	for n > 0 {
		t := h.queue.takeFirst()
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
