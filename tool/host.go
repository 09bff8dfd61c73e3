package tool

import (
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/internal/goid"
)

// Host is what a loop offers to the runs that live on it: a register of who is alive, the clock, the bounds of
// a turn, and a place for errors that nobody else can take.
//
// [Loop] and [Manual] own one. Whoever writes a loop makes one with [NewHost]. All methods may be called from
// any goroutine.
type Host struct {
	turn    TurnLimits
	now     func() time.Duration
	clock   clock
	rand    func() uint64
	onError func(error)
	grace   time.Duration // not 0
	work    func(Work) (stop func(cause error), taken bool)

	deterministic bool

	mu            sync.Mutex
	calm          sync.Cond     // on mu: the Stop of stopping has returned
	registrations Registration  // root of the ring of registrations that were not told to stop
	told          Registration  // root of the ring of those that were
	stopping      *Registration // its Stop is being called right now
	stopper       uint64        // by this goroutine
	live          int           // how many are in the two rings
	draining      bool
	drained       chan struct{} // made by Drain, closed when nobody lives any more
}

// HostOption sets one thing of a new [Host].
type HostOption func(*Host)

// WithClock makes now the host's clock: the time since an arbitrary start, never going back. It is called from
// any goroutine. The default is the monotonic clock of the process, counted from NewHost.
func WithClock(now func() time.Duration) HostOption { return func(h *Host) { h.now = now } }

// WithStart makes t the time that [Host.Time] gives for zero of the clock. Without it a host with [WithClock] takes
// what its clock showed at NewHost for the real time of NewHost. Call it together with WithClock.
func WithStart(t time.Time) HostOption { return func(h *Host) { h.clock = clock{made: t} } }

// WithRand makes rand the host's source of random numbers. It is called from any goroutine. The default is that of
// math/rand/v2.
func WithRand(rand func() uint64) HostOption { return func(h *Host) { h.rand = rand } }

// WithOnError makes report take the errors of [Host.Report]. It is called from any goroutine and must not block.
// A panic in it is logged and dropped; [runtime.Goexit], as t.FailNow calls it, ends the goroutine that reports, and a [Loop]
// goes on with another one. The default logs with [slog.Default] at level Error.
func WithOnError(report func(error)) HostOption { return func(h *Host) { h.onError = report } }

// DefaultGrace is the grace of a host without [WithGrace], and of a loop without Options.Grace.
const DefaultGrace = time.Second

// WithGrace sets [Host.Grace]. Zero stands for [DefaultGrace], below zero there is no limit.
func WithGrace(d time.Duration) HostOption { return func(h *Host) { h.grace = d } }

// NewHost returns the host of a new loop whose runs keep to turn; its zero fields take their defaults.
func NewHost(turn TurnLimits, with ...HostOption) *Host {
	h := &Host{turn: turn.withDefaults()}
	for _, set := range with {
		set(h)
	}
	if h.now == nil {
		start := time.Now()
		h.now = func() time.Duration { return time.Since(start) }
	} else if h.clock.made.IsZero() {
		h.clock = clock{time.Now(), h.now()}
	}
	if h.rand == nil {
		h.rand = rand.Uint64
	}
	if h.grace == 0 {
		h.grace = DefaultGrace
	}
	if h.onError == nil {
		h.onError = logError
	}
	h.calm.L = &h.mu
	h.registrations.prev, h.registrations.next = &h.registrations, &h.registrations
	h.told.prev, h.told.next = &h.told, &h.told
	return h
}

// Turn returns the bounds that runs on this host keep to. It never changes.
func (h *Host) Turn() TurnLimits { return h.turn }

// Now returns the loop's time: monotonic, since an arbitrary start. Virtual in tooltest.
func (h *Host) Now() time.Duration { return h.now() }

// Rand returns a random number, for jitter: a test on a tooltest.Loop draws the same ones again. They are no secret.
func (h *Host) Rand() uint64 { return h.rand() }

// Grace returns how long a step that is left waits for a goroutine of its own that was told to stop, unless the step has
// a grace of its own; see step.Await. Below zero it waits without limit. It never changes.
func (h *Host) Grace() time.Duration { return h.grace }

// Live returns how many registrations are attached: in a program, how many runs are on the loop.
func (h *Host) Live() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.live
}

// Attach registers t. It fails with ErrShutdown once the host drains, ErrAttached if t lives on a host already,
// and ErrNoStop if t could not be told to end.
func (h *Host) Attach(t *Registration) error {
	if t == nil || t.Stop == nil {
		return ErrNoStop
	}
	h.mu.Lock()
	err := h.attach(t)
	h.mu.Unlock()
	return err
}

// attach is Attach; mu is held.
func (h *Host) attach(t *Registration) error {
	if h.draining {
		return ErrShutdown
	}
	if t.host != nil {
		return ErrAttached
	}
	t.host = h
	t.link(&h.registrations)
	h.live++
	return nil
}

// Detach ends the registration of t. A registration that doesn't live here is left alone, so a second Detach does no
// harm. If another goroutine is inside t.Stop just now, Detach waits for it to return.
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
		if h.live--; h.live == 0 && h.draining {
			close(h.drained)
		}
	}
	h.mu.Unlock()
}

// Drain makes Attach refuse from now on. The channel, the same at each call, is closed once nobody lives.
func (h *Host) Drain() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.draining {
		h.draining = true
		h.drained = make(chan struct{})
		if h.live == 0 {
			close(h.drained)
		}
	}
	return h.drained
}

// Stop drains, and tells every registration that was not told before to end. It returns how many it told; they
// have not necessarily ended then. A registration whose Stop panics counts as told; the panic is reported.
func (h *Host) Stop(cause error) (told int) {
	h.Drain()
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		for h.stopping != nil { // one registration at a time
			if h.stopper == goid.Current() {
				return told // called by a registration's Stop: the call further up the stack tells the rest
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

// tell calls t.Stop without the lock, which Stop needs for its Detach; stopping keeps t from being reused meanwhile.
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

// Report hands over an error that nobody else can take: a callback's panic, a goroutine that was abandoned. If the error
// handler panics, both errors are logged. If it calls [runtime.Goexit], Report doesn't return: hold no lock when calling it.
func (h *Host) Report(err error) {
	defer func() {
		if v := recover(); v != nil {
			lastResort(err, &PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	h.onError(err)
}

// lastResort logs errors that the error handler has not taken. If the log panics too, there is nobody left to tell.
func lastResort(errs ...error) {
	defer func() { _ = recover() }()
	for _, err := range errs {
		logError(err)
	}
}

// Call runs one callback the way every loop does: a panic is reported as a [*PanicError] and goes no further (T3).
// [runtime.Goexit] is not stopped: it ends the calling goroutine.
func (h *Host) Call(fn func()) {
	defer func() {
		if v := recover(); v != nil {
			h.Report(&PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	fn()
}

func logError(err error) { slog.Default().Error("asyncsteps: event loop", "error", err) }
