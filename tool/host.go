package tool

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/internal/goid"
)

// Host is the part of a loop that its runs use. It has, for example, a register of the live runs, the clock, the
// bounds of a turn, and a handler for errors that have no other recipient.
//
// [Loop] and [Manual] have one each. [NewHost] isn't for programs, but for those who write a loop. All methods except Work may
// be called from any goroutine.
type Host struct {
	turn    TurnLimits
	now     func() time.Duration
	clock   clock
	rand    func() uint64
	onError func(error)
	grace   time.Duration // never 0; below zero there is no limit
	work    func(Work) (stop func(cause error), taken bool)

	deterministic bool

	mu            sync.Mutex
	calm          sync.Cond     // on mu: signalled when the Stop of the registration in stopping has returned
	registrations Registration  // root of the ring of registrations that Host.Stop hasn't told to stop
	told          Registration  // root of the ring of registrations that Host.Stop has told to stop, or tells now
	stopping      *Registration // the registration whose Stop is being called now, or nil
	stopper       uint64        // the goroutine that calls stopping.Stop
	live          int           // number of registrations in the two rings
	drain         *drain        // nil until the host drains
	vacancy       *vacancy      // made together with drain
	stopped       bool          // Stop was called

	peers *drain // the drain of the loop's Group, nil if there is none; set before the host is used
}

// HostOption is one setting of a new [Host]. A nil one sets nothing.
type HostOption func(*Host)

// WithClock sets the host's clock. The function now returns the time since an arbitrary start, which must never decrease.
// It is called from any goroutine, sometimes while a guard of syncx or a step that waits is locked: it must not block, use
// such a guard, complete a step or end its goroutine. If it panics, the host uses the last time that it returned; of
// several panics in a row the first is reported. The default is the monotonic clock of the process, counted from NewHost.
func WithClock(now func() time.Duration) HostOption { return func(h *Host) { h.now = now } }

// WithStart sets the time that [Host.Time] returns when the clock is at zero. Without it a host with [WithClock]
// relates the reading of its clock at NewHost to the real time of that moment. Use it together with WithClock.
func WithStart(t time.Time) HostOption { return func(h *Host) { h.clock = clock{made: t} } }

// WithRand sets the host's source of random numbers. The function rand is called from any goroutine. The default is
// rand.Uint64 of math/rand/v2.
func WithRand(rand func() uint64) HostOption { return func(h *Host) { h.rand = rand } }

// WithOnError sets the function that gets the errors of [Host.Report]. It is called from any goroutine and must not
// block. A panic in it is logged and dropped; [runtime.Goexit], as t.FailNow calls it, ends the goroutine that reports,
// and a [Loop] goes on with another goroutine. The default logs with [slog.Default], at the level that [Level] returns.
func WithOnError(report func(error)) HostOption { return func(h *Host) { h.onError = report } }

// DefaultGrace is the grace of a host without [WithGrace], and of a loop without Options.Grace.
const DefaultGrace = time.Second

// WithGrace sets [Host.Grace]. Zero stands for [DefaultGrace], below zero there is no limit.
func WithGrace(d time.Duration) HostOption { return func(h *Host) { h.grace = d } }

// WithAt sets [TurnLimits].At: at is called on the loop before each step, with the place of that step.
func WithAt(at func(where fmt.Stringer)) HostOption { return func(h *Host) { h.turn.At = at } }

// NewHost returns the host of a new loop; turn bounds its runs, and the zero fields of turn take their defaults. It
// isn't for programs, but for those who write a loop.
func NewHost(turn TurnLimits, with ...HostOption) *Host {
	h := &Host{turn: turn.withDefaults()}
	for _, set := range with {
		if set != nil {
			set(h)
		}
	}
	if h.onError == nil {
		h.onError = logError
	}
	if h.now == nil {
		start := time.Now()
		h.now = func() time.Duration { return time.Since(start) }
		h.clock.start = start
	} else {
		h.now = h.unbroken(h.now)
		if h.clock.made.IsZero() {
			h.clock = clock{made: time.Now(), at: h.now()}
		}
	}
	if h.rand == nil {
		h.rand = rand.Uint64
	}
	if h.grace == 0 {
		h.grace = DefaultGrace
	}
	h.calm.L = &h.mu
	h.registrations.prev, h.registrations.next = &h.registrations, &h.registrations
	h.told.prev, h.told.next = &h.told, &h.told
	return h
}

// Turn returns the bounds that hold for runs on this host. They don't change.
func (h *Host) Turn() TurnLimits { return h.turn }

// Now returns the time of the loop's clock: monotonic, since an arbitrary start, virtual in
// tooltest.
func (h *Host) Now() time.Duration { return h.now() }

// Rand returns a random number, for jitter: a test on a tooltest.Loop gets the same numbers in each execution. Don't
// use them for secrets.
func (h *Host) Rand() uint64 { return h.rand() }

// Grace returns how long a step that is left waits for what it has begun, such as the goroutine of a step.Await or the steps
// of a flow.Shield, unless step.AwaitGrace or flow.Grace sets another grace. Below zero there is no limit. The result doesn't
// change.
func (h *Host) Grace() time.Duration { return h.grace }

// Live returns how many registrations are attached: in a program, how many runs are on the loop.
func (h *Host) Live() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.live
}

// Attach registers t. It isn't for programs: runs register themselves. It fails with ErrShutdown once the host drains,
// with ErrAttached if t is attached to a host already, and with ErrNoStop if t is nil or has no Stop.
func (h *Host) Attach(t *Registration) error { return h.AttachFor(t, nil) }

// AttachFor is Attach for a run that another run asks for and waits for, such as a load of package share. asker is the host
// on which the run that asks is registered. While h drains, AttachFor still registers t if asker is h itself or, in the
// Shutdown of a [Group], the host of another of its loops. It refuses from the moment when no registration is left, or Stop
// is called. With a nil asker it does what Attach does.
//
//spec:rule M10
func (h *Host) AttachFor(t *Registration, asker *Host) error {
	if t == nil || t.Stop == nil {
		return ErrNoStop
	}
	h.mu.Lock()
	err := h.attach(t, asker)
	h.mu.Unlock()
	return err
}

func (h *Host) attach(t *Registration, asker *Host) error {
	if t.host != nil && h.drain == nil {
		return ErrAttached
	}
	if h.drain != nil {
		switch {
		case h.stopped || !h.drainsFor(asker):
			return ErrShutdown
		case t.host != nil:
			return ErrAttached
		case !h.drain.enter():
			return ErrShutdown
		}
	}
	t.host = h
	t.link(&h.registrations)
	h.live++
	return nil
}

// Detach ends the registration of t. It does nothing if t isn't attached to this host. If another goroutine is
// inside t.Stop, Detach waits for it to return.
func (h *Host) Detach(t *Registration) {
	if t == nil {
		return
	}
	h.mu.Lock()
	for h.stopping == t && h.stopper != goid.Current() {
		h.calm.Wait()
	}
	if t.host == h {
		t.host = nil
		t.unlink()
		h.live--
		if h.drain != nil {
			h.drain.leave()
			h.vacate()
		}
	}
	h.mu.Unlock()
}

// drainsFor reports whether asker is h, or the host of another loop of the group that h drains with.
func (h *Host) drainsFor(asker *Host) bool {
	return asker != nil && (asker == h || asker.peers == h.drain)
}

// Drain makes Attach refuse from now on. It returns a channel, the same at each call, that is closed when no
// registration is left; from then on AttachFor refuses too. While a [Group] shuts down, that is when none of the loops that
// drain together has a registration left. Once Stop is called, only the registrations of h count.
func (h *Host) Drain() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.drain == nil {
		d := newDrain()
		h.drainInto(d)
		d.leave()
	}
	return h.vacancy.done
}

// drainWith is Drain for a host of a [Group], whose hosts count their registrations in d together.
func (h *Host) drainWith(d *drain) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.drain == nil { // otherwise it drains alone already
		h.drainInto(d)
	}
}

func (h *Host) drainInto(d *drain) {
	h.drain = d
	h.vacancy = d.add(h.live)
}

// vacate declares the vacancy of h if h is stopped and has no registrations. Other hosts of the drain may still have some,
// but a stopped host takes no loads that their runs ask for. mu is held.
func (h *Host) vacate() {
	if h.stopped && h.live == 0 {
		h.vacancy.declare()
	}
}

// Stopped reports whether Stop was called. Any goroutine may call it.
func (h *Host) Stopped() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopped
}

// draining reports whether the host has begun to drain.
func (h *Host) draining() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.drain != nil
}

// vacant reports whether the host has drained and takes no registrations any more.
func (h *Host) vacant() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.drain != nil && h.vacancy.declared()
}

// Stop drains the host, makes AttachFor refuse too, and calls the Stop of each registration whose Stop wasn't called before.
// It returns how many these were; they have not necessarily ended then. A registration whose Stop panics counts too; the panic
// is reported. If the Stop of a registration calls Host.Stop, that call returns 0, and the outer one goes on with the other
// registrations.
func (h *Host) Stop(cause error) (told int) {
	h.Drain()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	h.vacate()
	for {
		for h.stopping != nil { // one registration at a time
			if h.stopper == goid.Current() {
				return told // called by a registration's Stop
			}
			h.calm.Wait()
		}
		t := h.registrations.next
		if t == &h.registrations {
			return told
		}
		t.unlink()
		t.link(&h.told)
		h.tell(t, cause)
		told++
	}
}

// tell calls t.Stop. It unlocks mu meanwhile, because t.Stop may call Detach. As long as t is in stopping, a Detach by
// another goroutine waits, so t isn't reused before t.Stop has returned.
func (h *Host) tell(t *Registration, cause error) {
	h.stopping, h.stopper = t, goid.Current()
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		h.stopping = nil
		h.calm.Broadcast()
	}()
	h.Call(func() { t.Stop(cause) })
}

// Report passes an error that has no other recipient to the error handler, for example a callback's panic, or a
// goroutine that was left behind. If the error handler panics, both errors are logged. If it calls
// [runtime.Goexit], Report doesn't return: hold no lock when calling it.
func (h *Host) Report(err error) {
	defer func() {
		if v := recover(); v != nil {
			lastResort(err, &PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	h.onError(err)
}

// lastResort logs errors for which the error handler has panicked. If the logger panics too, the rest is dropped.
func lastResort(errs ...error) {
	defer func() { _ = recover() }()
	for _, err := range errs {
		logError(err)
	}
}

// Call runs one callback as a loop has to: a panic is reported as a [*PanicError] and doesn't reach the caller.
// [runtime.Goexit] is not stopped: it ends the calling goroutine.
//
//spec:rule T3
func (h *Host) Call(fn func()) {
	defer func() {
		if v := recover(); v != nil {
			h.Report(&PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	fn()
}
