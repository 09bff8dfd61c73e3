package tool

import (
	"context"
	"time"
)

// Options are the settings of a loop. The zero Options is ready to use.
type Options struct {
	// OnError gets the errors that are given to [Host.Report]: panics of callbacks, and errors that have no other
	// recipient. It is called from any goroutine and must not block. If it panics or calls runtime.Goexit, the loop
	// goes on. If OnError is nil, errors are logged with slog.Default, at the level that [Level] returns. It is Warn if a
	// grace, a cancel or a shutdown has ended something: the code is fault.CutOff or fault.Cancelled, or the error wraps
	// ErrShutdown. It is Error for all other errors, and for every panic.
	OnError func(error)

	// Burst is the largest number of immediates, and also of timers, that run in one turn. While so many immediates are
	// queued, further runs that other goroutines start wait behind them. Zero or less stands for 16.
	Burst int

	// Grace is how long a step that is left, for example by a cancel or a timeout, waits for its goroutine to return,
	// unless step.AwaitGrace or flow.Grace sets another grace: see step.Await. After that the goroutine is left behind,
	// and reported to OnError. Grace also bounds flow.Shield, flow.Bracket and flow.Undo. Zero stands for
	// [DefaultGrace]. Below zero there is no limit.
	Grace time.Duration

	// Host holds further settings of the loop's [Host], such as a clock. They are applied after OnError and Grace. Only a
	// [Manual] may have a clock of its own, because its driver knows when to come back: a [Loop] parks by real time.
	Host []HostOption

	// Watchdog reports callbacks that block the loop. Its zero value is off.
	Watchdog Watchdog
}

// Loop is an event loop on a goroutine of its own. It implements [Tool], and may be used from any
// goroutine. [Start] makes one. The zero Loop and a nil *Loop aren't loops: flow.Start refuses them, and
// most of their methods panic.
//
// A callback that panics is reported and the loop goes on. A callback that calls [runtime.Goexit] is reported as
// ErrGoexit, and the loop goes on too, on a fresh goroutine.
//
//spec:ftn12 §2.6; rule T3
type Loop struct {
	*core
	done chan struct{} // closed when the loop has ended for good
}

var _ Tool = (*Loop)(nil)

// Start returns a running loop. It runs until its Shutdown, and parks while there is nothing to do.
//
//spec:ftn12 §2.6
func Start(o Options) *Loop { return start(o, nil) }

// start is Start for a loop of a Group, whose loops drain into peers together. peers is nil for a loop on its own.
func start(o Options, peers *drain) *Loop {
	watch := newWatchdog(o.Watchdog)
	host := o.newHost(watch)
	host.peers = peers
	l := &Loop{core: newCore(host, o.Burst), done: make(chan struct{})}
	if watch != nil {
		l.watch = watch
		go l.host.persist(func() { watch.monitor(l.host, l.done) })
	}
	go l.host.persist(l.serve)
	return l
}

func (o Options) newHost(watch *watchdog) *Host {
	with := []HostOption{WithGrace(o.Grace)}
	if o.OnError != nil {
		with = append(with, WithOnError(o.OnError))
	}
	with = append(with, o.Host...)
	if watch != nil {
		with = append(with, watch.also) // last, so that it sees the function that a WithAt in o.Host has set
	}
	return NewHost(TurnLimits{}, with...)
}

// Immediate implements [Tool].
func (l *Loop) Immediate(fn func()) (Handle, error) { return l.immediate(fn) }

// Deferred implements [Tool].
func (l *Loop) Deferred(d time.Duration, fn func()) (Handle, error) { return l.deferred(d, fn) }

// Cancel implements [Tool].
func (l *Loop) Cancel(h Handle) bool { return l.cancel(h) }

// Valid implements [Tool].
func (l *Loop) Valid(h Handle) bool { return l.valid(h) }

// Host implements [Tool]. It returns nil for the zero Loop and for a nil one.
func (l *Loop) Host() *Host {
	if l == nil {
		return nil
	}
	return l.hosted()
}

// InLoop implements [Tool]: it is true in this loop's callbacks, and in what they call.
func (l *Loop) InLoop() bool { return l.seat.Mine() }

// over returns a loop that has been shut down.
func over() *Loop {
	l := &Loop{core: newCore(Options{}.newHost(nil), 0), done: make(chan struct{})}
	l.close()
	l.serve()
	return l
}

// Shutdown ends the loop. From now on new registrations are refused with ErrShutdown, except, until ctx ends,
// those that registered runs wait for: loads of a share.Memo or a share.Batch, and runs of a flow.On, see
// [Host.AttachFor]. The loop goes on serving its registrations until they end. Then it refuses all work, runs
// the immediates that are queued, drops the timers, and its goroutine ends.
//
// When ctx ends first, Shutdown calls Stop of each registration that is left, with a cause that wraps
// ErrShutdown and the context's cause. If the loop then ends within [ShutdownGrace], Shutdown returns that cause,
// otherwise an error that wraps ErrStuck and that cause. In that case a callback blocks or a
// registration doesn't end; should that change, the loop still ends. Without registrations Shutdown returns
// nil, even if ctx had ended before, unless a callback blocks.
//
// Shutdown may be called again, and from several goroutines: each call waits, and the registrations are told to
// stop when the first of the contexts ends. Called by one of the loop's callbacks it begins the shutdown and
// returns ErrInLoop. A nil ctx gives ErrNilContext, and the loop goes on.
func (l *Loop) Shutdown(ctx context.Context) error {
	if ctx == nil {
		return ErrNilContext
	}
	l.close()
	if l.InLoop() {
		return ErrInLoop
	}
	return l.shutdown(ctx, func(ctx context.Context) bool {
		select {
		case <-l.done:
			return true
		case <-ctx.Done():
			return false
		}
	})
}

func (l *Loop) serve() {
	l.seat.Take()
	defer l.seat.Leave()
	for !l.over() {
		if !l.turns((*untilOver)(l.core)) {
			l.park(l.rest, nil)
		}
	}
	close(l.done)
}

// untilOver tells turns to stop once the loop has ended.
type untilOver core

// Enough implements [drive.Until].
func (c *untilOver) Enough() bool { return (*core)(c).over() }
