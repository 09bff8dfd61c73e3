package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// holding is the place that one ticket has got, with its lease. Mutex.mu guards all fields.
type holding struct {
	mutex  *Mutex
	place  Place
	ticket *syncx.Ticket
	lease  syncx.Lease   // the zero Lease until the section has begun
	lost   error         // the cause of the eviction; nil if the section isn't evicted
	gone   bool          // the ticket has left the guard
	until  time.Duration // when the section is evicted unless the lease is renewed, by the clock
	expiry func()        // stops the timer that evicts the section
	again  func()        // stops the timer of the next renewal
}

// A lease is renewed length/renewals after the answer of the server that has granted or renewed it. The section is evicted
// length/margin before the lease ends, because clocks drift apart and because the section needs time for its cleanups.
const (
	renewals = 3
	margin   = 10
)

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

// expire may be called for a timer that was stopped too late.
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
		default: // try again until expire
			h.renewAfter(m.lease / (renewals * margin))
		}
	})
}

// lose evicts the section. A ticket that isn't inside yet is refused, or its section is evicted before its first step.
func (h *holding) lose(cause error) {
	h.lost = fmt.Errorf("%s: %w", h.mutex.kind, cause)
	h.halt()
	if !h.lease.Lose(h.lost) {
		h.ticket.Refuse(lost(h.lost))
	}
}

func (h *holding) end() {
	h.gone = true
	h.halt()
	h.place.Release()
}
