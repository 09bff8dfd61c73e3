package tool

import (
	"context"
	"time"
)

// Manual is an event loop driven from outside: callbacks run on the goroutine that calls [Manual.Iterate]. It implements
// [Tool]. [NewManual] makes one. The zero Manual and a nil *Manual aren't loops: flow.Start refuses them, and most of their
// methods panic. There are two ways to drive a Manual:
//
//   - alone: call Iterate until it reports no work, then Wait, and so on;
//   - as a part of another event loop: when Iterate reports no work, call Next, and call Iterate again when the time that
//     Next returned has passed or a token arrives on Wake.
//
// A panic in a method of a context given to Wait or Shutdown goes to the caller; the loop can still be driven
// afterwards.
//
// Iterate, Next, Wait, Reset and Shutdown are for one goroutine at a time, not necessarily the same one; the methods
// of Tool may be called from any goroutine. A Manual needs no closing: the garbage
// collector takes it when nothing refers to it.
//
//spec:ftn12 §2.6
type Manual struct {
	*core
}

var _ Tool = (*Manual)(nil)

// NewManual returns a loop that waits to be driven. It ignores Options.Watchdog.
//
//spec:ftn12 §2.6
func NewManual(o Options) *Manual {
	return &Manual{core: newCore(o.newHost(nil), o.Burst)}
}

// Immediate implements [Tool].
func (m *Manual) Immediate(fn func()) (Handle, error) { return m.immediate(fn) }

// Deferred implements [Tool].
func (m *Manual) Deferred(d time.Duration, fn func()) (Handle, error) { return m.deferred(d, fn) }

// Cancel implements [Tool].
func (m *Manual) Cancel(h Handle) bool { return m.cancel(h) }

// Valid implements [Tool].
func (m *Manual) Valid(h Handle) bool { return m.valid(h) }

// Host implements [Tool]. It returns nil for the zero Manual and for a nil one.
func (m *Manual) Host() *Host {
	if m == nil {
		return nil
	}
	return m.hosted()
}

// InLoop implements [Tool]: it is true on the goroutine that is inside Iterate.
func (m *Manual) InLoop() bool { return m.seat.Mine() }

// Iterate takes one turn: the immediates that are queued, then the timers that are due, at most a burst of each. It
// reports whether a callback ran. It blocks only while a callback does. A call while another one is under way, by a
// callback or by another goroutine, does nothing and reports false.
//
// A panic of a callback is reported. A callback that calls [runtime.Goexit] ends the calling goroutine; another
// goroutine can drive the loop then.
//
//spec:rule T3
func (m *Manual) Iterate() (worked bool) {
	if m.seat.Idle() && m.inbox.Quiet() && m.armed.Load() == 0 {
		return false // nothing was posted since the last Iterate, and there are no timers
	}
	if !m.seat.Take() {
		return false
	}
	defer m.rise()
	return m.turn()
}

// rise leaves the seat, and marks it as idle if only the inbox and the timers can have work for the next Iterate.
func (m *Manual) rise() {
	if m.ready.Drained() && m.starts.Empty() {
		m.seat.LeaveIdle()
	} else {
		m.seat.Leave()
	}
}

// Next returns the time until there is work, zero if there is some now. ok is false when nothing is queued. From this call
// until the next Iterate, Wake gets a token if a callback is queued that is due before that time has passed.
func (m *Manual) Next() (d time.Duration, ok bool) {
	switch r := m.look(); {
	case r.busy:
		return 0, true
	case r.armed:
		return max(r.deadline-m.host.Now(), 0), true
	default:
		return 0, false
	}
}

// Wake returns a channel that gets a token when Iterate has to be called earlier than Next has said. The channel is the
// same until a Reset and holds at most one token. A token may come needlessly: just call Iterate. Use either Wake or Wait.
func (m *Manual) Wake() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.waker()
}

// Wait blocks until there may be work for Iterate, and returns nil then; it may be early. It returns the
// cause of ctx once that has ended, ErrShutdown once the loop has, and ErrNilContext for a nil ctx.
func (m *Manual) Wait(ctx context.Context) error {
	if ctx == nil {
		return ErrNilContext
	}
	if m.ended() {
		return ErrShutdown
	}
	if ctx.Err() == nil {
		m.park(m.look, ctx.Done())
	}
	return context.Cause(ctx)
}

// look is rest for a caller that needn't own the loop. While another goroutine owns the loop, look reports that there is
// work.
func (m *Manual) look() rest {
	if m.seat.Mine() {
		return m.rest()
	}
	if !m.seat.Take() {
		return rest{busy: true}
	}
	defer m.seat.Leave()
	return m.rest()
}

// ended is over for a caller that needn't own the loop. While another goroutine owns the loop, ended reports false.
func (m *Manual) ended() bool {
	if !m.closing.Load() {
		return false
	}
	if m.seat.Mine() {
		return m.over()
	}
	if !m.seat.Take() {
		return false
	}
	defer m.seat.Leave()
	return m.over()
}

// Reset drops everything queued, so that the loop can be used again as if it were new. Handles from before become void; the
// clock goes on. It fails with ErrBusy while a registration lives or an Iterate is under way, and with ErrShutdown once
// Shutdown, or Drain of its host, has been called. Code that still refers to the loop from before can go on queueing
// callbacks.
func (m *Manual) Reset() error {
	if !m.seat.Take() {
		return ErrBusy
	}
	defer m.seat.Leave()
	m.gather(false)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closing.Load() || m.host.draining():
		return ErrShutdown
	case m.host.Live() > 0:
		return ErrBusy
	}
	m.ready.Clear(&m.entries)
	m.queue.Clear()
	m.count()
	m.wake, m.timer = nil, nil
	m.until = awake
	m.reserve.Renew()
	return nil
}

// Shutdown ends the loop as [Loop.Shutdown] does, and drives it meanwhile: callbacks run on the calling
// goroutine, so a callback that blocks also blocks Shutdown. Called by a callback of this loop it begins the
// shutdown and returns ErrInLoop; then the loop has to be driven until Wait returns ErrShutdown. A nil ctx
// gives ErrNilContext, and the loop goes on.
func (m *Manual) Shutdown(ctx context.Context) error {
	if ctx == nil {
		return ErrNilContext
	}
	m.close()
	if m.seat.Taken() {
		return ErrInLoop
	}
	return m.shutdown(ctx, m.drive)
}

// drive drives the loop until the loop or ctx has ended, and reports whether the loop has.
func (m *Manual) drive(ctx context.Context) bool {
	for !m.ended() {
		if m.Iterate() && ctx.Err() == nil {
			continue
		}
		if m.Wait(ctx) != nil {
			return m.ended()
		}
	}
	return true
}
