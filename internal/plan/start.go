package plan

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/private"
	"github.com/futoin-go/asyncsteps/internal/site"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// Future is a run that any goroutine may wait for.
//
//	untouched ──lock──▶ touched
//	    │ Ended            │ Ended
//	    ▼                  ▼
//	  over ◀───────────────┘
//
// If the context of the run never ends, and no method that locks is called before the run has
// ended, the Future goes from untouched to over by one compare-and-swap, without a lock. After
// a call of lock, Ended takes the lock too. In the state over the result doesn't change any
// more, and may be read without the lock.
type Future[Out any] struct {
	host  *tool.Host // host of the run's loop; nil in the zero Future
	state atomic.Uint32

	mu   sync.Mutex
	run  *frame.Run // nil once the run has ended; read only in the state touched, because otherwise another run may use the memory
	ends *ends[Out] // nil until it is needed
	out  Out
	err  error
}

const (
	untouched uint32 = iota
	touched
	over
)

// ends lists what finish has to do when the run has ended.
type ends[Out any] struct {
	done    chan struct{} // closed at the end; nil until somebody asks for it
	then    []func(Out, error)
	unwatch func() bool
}

// Start queues a run of s on t and connects it with x, which must be the zero Future. If the
// run can't be started, x has ended with the reason when Start returns.
func Start[In, Out any](ctx context.Context, t tool.Tool, s *Stage[In, Out], in In, x *Future[Out]) {
	_ = StartFor(ctx, t, s, in, x, x, nil) // x has the error
}

// StartFor is Start with an owner that embeds x: the method Ended of the owner must be that of x or call that of x.
// asker is the host of the run that asks for this one and waits for it (M10); nil if there is none. If the run can't be
// started, StartFor returns the reason, and Ended isn't called.
func StartFor[In, Out any](ctx context.Context, t tool.Tool, s *Stage[In, Out], in In, x *Future[Out], owner frame.Owner, asker *tool.Host) error {
	host := usercode.Nobody
	if t != nil {
		if h := usercode.HostOf(t); h != nil {
			host = h
		}
	}
	x.host = host
	r, unending, err := newRun(ctx, &s.source, t, host, owner)
	if err != nil {
		x.never(err)
		return err
	}
	Give(rootOf(r), in)
	x.run = r // before LaunchFor: the run may end before that returns
	var watch frame.Watch
	if unending { // no lock: nothing else refers to x before the run has been queued
		if err = r.LaunchFor(asker); err == nil {
			return nil
		}
		watch, err = turnedAway(r, err)
		x.refused(err)
	} else if watch, err = x.launchUnder(r, asker); err == nil {
		return nil
	}
	frame.Refused(host, watch, err)
	return err
}

// newRun makes a run of s on t, whose host is host. unending is true if the context of the run never ends.
func newRun(ctx context.Context, s *source, t tool.Tool, host *tool.Host, owner frame.Owner) (r *frame.Run, unending bool, err error) {
	if host == usercode.Nobody {
		return nil, false, noLoop()
	}
	p := programOf(s)
	if p.err != nil {
		return nil, false, p.err
	}
	c := frame.Config{Context: ctx, Tool: t, Owner: owner}
	if unasked(ctx) {
		return frame.NewRun(frame.TakeRoot(p.level), &c), true, nil
	}
	if ctx, c.Watch, err = admit(ctx, host, s.node); err != nil {
		return nil, false, err
	}
	c.Context = usercode.Context(ctx, host)
	return frame.NewRun(frame.TakeRoot(p.level), &c), c.Context.Done() == nil, nil
}

func noLoop() error {
	n := Node{Info: site.Info{Kind: "start", Made: site.Here()}}
	n.Reject("Start: the loop is nil, or the zero one")
	return n.Bad
}

// turnedAway gives back the memory of r, a run that its loop has refused with err. It returns the watch of r, and the error of
// the run.
func turnedAway(r *frame.Run, err error) (frame.Watch, error) {
	watch := r.Watch()
	r.Recycle()
	return watch, fault.Wrap(fault.CodeOf(err), "the run could not be started", err)
}

// launchUnder starts r, and has r cancelled when its context ends. If the loop refuses r, launchUnder returns the results of
// turnedAway.
func (x *Future[Out]) launchUnder(r *frame.Run, asker *tool.Host) (frame.Watch, error) {
	x.lock()
	defer x.mu.Unlock()
	// Before the start, while nobody else uses the run: AfterFunc may call user code.
	ctx := r.Context()
	r.Bind()
	x.wants().unwatch = context.AfterFunc(ctx, func() { x.stop(ctx) })
	err := r.LaunchFor(asker)
	if err == nil {
		return nil, nil
	}
	watch, err := turnedAway(r, err)
	x.ends.unwatch()
	x.ends = nil
	x.refused(err)
	return watch, err
}

func (x *Future[Out]) refused(err error) {
	x.run = nil
	x.never(err)
}

func (x *Future[Out]) never(err error) {
	x.err = err
	x.state.Store(over)
}

// Ended takes the result of r. r isn't used after that.
func (x *Future[Out]) Ended(r *frame.Run) {
	if x.err = r.Result(); x.err == nil {
		x.out = Outcome[Out](r)
	}
	if x.state.CompareAndSwap(untouched, over) {
		x.run = nil
		r.Recycle()
		return
	}
	x.mu.Lock()
	x.run = nil
	x.mu.Unlock()
	r.Recycle() // before anybody is told: the handles of the run are void from here on
	x.finish()
}

// finish publishes that x has ended.
func (x *Future[Out]) finish() {
	out, err := x.out, x.err
	x.mu.Lock()
	x.state.Store(over)
	var last ends[Out]
	if x.ends != nil {
		last = *x.ends
		x.ends.then, x.ends.unwatch = nil, nil
	}
	if last.done != nil {
		close(last.done)
	}
	x.mu.Unlock()
	defer x.tell(last.then, out, err) // deferred: the context may end the goroutine
	if last.unwatch != nil {
		last.unwatch()
	}
}

// tell calls all of fns, even if one of them ends the goroutine.
func (x *Future[Out]) tell(fns []func(Out, error), out Out, err error) {
	defer func() {
		if len(fns) > 0 {
			x.tell(fns, out, err)
		}
	}()
	for len(fns) > 0 {
		fn := fns[0]
		fns = fns[1:]
		x.host.Call(func() { fn(out, err) })
	}
}

var errNoRun = fault.New(fault.InvalidRequest, "the zero Running stands for no run")

// lock locks mu, and makes Ended lock it too. It ends a zero Future, so that
// a caller doesn't wait for ever.
func (x *Future[Out]) lock() {
	x.mu.Lock()
	if x.state.CompareAndSwap(untouched, touched) {
		if x.host == nil {
			x.never(errNoRun)
		}
	}
}

// live returns the run, or nil if it has ended or can't be started; mu is held.
func (x *Future[Out]) live() *frame.Run {
	if x.state.Load() != touched {
		return nil
	}
	return x.run
}

// wants returns x.ends and makes it on first use; mu is held.
func (x *Future[Out]) wants() *ends[Out] {
	if x.ends == nil {
		x.ends = new(ends[Out])
	}
	return x.ends
}

func (x *Future[Out]) stop(ctx context.Context) {
	end := usercode.End{Cause: context.Canceled}
	defer func() { x.Stop(end) }() // deferred: the context may end the goroutine
	end = usercode.EndOf(ctx)      // without the lock, because it calls user code
}

// Stop cancels the run because its context has ended.
func (x *Future[Out]) Stop(end usercode.End) {
	x.lock()
	defer x.mu.Unlock()
	if r := x.live(); r != nil {
		private.Stop(end, r)
	}
}

// Cancel asks the run to end. It reports false if that comes too late, see [frame.Run.Cancel], and for the zero Future.
func (x *Future[Out]) Cancel(cause error) bool { return x.CancelInner(cause, false) }

// CancelInner is Cancel for a run that a step waits for, see [frame.Run.CancelInner].
func (x *Future[Out]) CancelInner(cause error, limit bool) bool {
	x.lock()
	defer x.mu.Unlock()
	r := x.live()
	return r != nil && r.CancelInner(cause, limit)
}

// Done returns a channel that is closed when the run has ended.
func (x *Future[Out]) Done() <-chan struct{} {
	x.lock()
	defer x.mu.Unlock()
	e := x.wants()
	if e.done == nil {
		e.done = make(chan struct{})
		if x.state.Load() == over {
			close(e.done)
		}
	}
	return e.done
}

// Result returns the result of a run that has ended; ok is false before.
func (x *Future[Out]) Result() (out Out, err error, ok bool) {
	switch {
	case x.state.Load() == over:
		return x.out, x.err, true
	case x.host == nil:
		return out, errNoRun, true
	default:
		return out, nil, false
	}
}

// Then calls fn with the result: at once if the run has ended, otherwise on
// the run's loop when the run ends.
func (x *Future[Out]) Then(fn func(Out, error)) {
	x.lock()
	if x.state.Load() != over {
		e := x.wants()
		e.then = append(e.then, fn)
		x.mu.Unlock()
		return
	}
	out, err := x.out, x.err
	x.mu.Unlock()
	host := x.host
	if host == nil {
		host = usercode.Nobody
	}
	host.Call(func() { fn(out, err) })
}

// InLoop reports whether the run is live and the caller is on its loop.
func (x *Future[Out]) InLoop() bool {
	x.lock()
	var on tool.Tool
	if r := x.live(); r != nil {
		on = r.Home()
	}
	x.mu.Unlock()
	return on != nil && on.InLoop()
}

// WrapContext returns ctx, or a context that calls ctx and catches its panics.
func (x *Future[Out]) WrapContext(ctx context.Context) context.Context {
	return usercode.Context(ctx, x.host)
}
