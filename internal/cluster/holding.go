package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// holding is a ticket that is inside, and the lease of its place. Mutex.mu guards it.
type holding struct {
	mutex  *Mutex
	place  Place
	ticket *syncx.Ticket
	lease  syncx.Lease // once the section has begun
	lost   error       // why it is evicted
	gone   bool        // the ticket has left
	until  time.Duration
	expiry func() // stops the timer for until
	again  func() // stops the timer for the next renewal
}

// A lease is renewed so many times in its length, if the server answers, and its section
// is evicted by a part of it before its end: for clocks that run apart, and for the steps
// that the section is left by.
const (
	renewals = 3
	margin   = 10
)

// begin counts the lease from since on.
func (h *holding) begin(since time.Duration) {
	m := h.mutex
	h.until = since + m.lease - m.lease/margin
	h.halt()
	h.expiry = m.clock.After(h.until-m.clock.Now(), h.expire)
	h.renewAfter(m.lease / renewals)
}

func (h *holding) halt() {
	if h.expiry != nil {
		h.expiry()
	}
	if h.again != nil {
		h.again()
	}
}

func (h *holding) over() bool { return h.gone || h.lost != nil }

func (h *holding) renewAfter(d time.Duration) { h.again = h.mutex.clock.After(d, h.renew) }

// expire is the callback of a timer: maybe of one that was stopped too late.
func (h *holding) expire() {
	m := h.mutex
	m.mu.Lock()
	defer m.mu.Unlock()
	if !h.over() && m.clock.Now() >= h.until {
		h.lose(ErrExpired)
	}
}

func (h *holding) renew() {
	m := h.mutex
	m.mu.Lock()
	defer m.mu.Unlock()
	if h.over() {
		return
	}
	sent := m.clock.Now()
	ctx, cancel := context.WithCancel(context.Background())
	stop := m.clock.After(h.until-sent, cancel)
	h.place.Renew(ctx, func(err error) {
		stop()
		cancel()
		m.mu.Lock()
		defer m.mu.Unlock()
		switch {
		case h.over():
		case err == nil:
			h.begin(sent)
		case errors.Is(err, ErrLost):
			h.lose(err)
		default: // until the lease has passed
			h.renewAfter(m.lease / (renewals * margin))
		}
	})
}

// lose evicts the section. A ticket that isn't inside yet is refused, or evicted before
// its first step.
func (h *holding) lose(cause error) {
	h.lost = cause
	h.halt()
	if !h.lease.Lose(cause) {
		h.ticket.Refuse(lost(cause))
	}
}

// end gives the place back.
func (h *holding) end() {
	h.gone = true
	h.halt()
	h.place.Release()
}
