package seam

import (
	"context"
	"sync"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// Future is a run that somebody may wait for, from any goroutine.
type Future[Out any] struct {
	tool tool.Tool

	mu   sync.Mutex
	run  *frame.Run // nil once the run has ended
	ends *ends[Out] // nil as long as nobody wants anything
	out  Out
	err  error
	over bool
}

// ends is what is to be done when a run has ended.
type ends[Out any] struct {
	done    chan struct{} // made when somebody asks
	then    []func(Out, error)
	unwatch func() bool
}

// Start queues a run of s on t, which x then stands for: the zero Future. If it
// can't be started x has ended with the reason already.
func Start[In, Out any](ctx context.Context, t tool.Tool, s *Stage[In, Out], in In, x *Future[Out]) {
	x.tool = t
	var host *tool.Host
	if t != nil { // s tells of that
		host = t.Host()
	}
	ctx, watch, inst, err := s.ready(ctx, host, in)
	if err != nil {
		x.over, x.err = true, err
		return
	}
	ctx = frame.Guard(ctx, host)
	if err = x.launch(ctx, frame.NewRun(inst, frame.Config{
		Context: ctx, Tool: t, Watch: watch, Owner: x,
	})); err != nil {
		frame.Refused(host, watch, err)
	}
}

// launch has the run watch its context, and starts it.
func (x *Future[Out]) launch(ctx context.Context, r *frame.Run) error {
	if ctx.Done() != nil { // otherwise nobody else knows x before the run has been queued
		x.mu.Lock()
		defer x.mu.Unlock()
		// First: nobody waits yet if that calls code of the user's.
		x.wants().unwatch = context.AfterFunc(ctx, func() { x.stop(ctx) })
	}
	x.run = r // before Launch: the run may end before that returns
	if err := r.Launch(); err != nil {
		x.run = nil
		r.Recycle()
		if x.ends != nil {
			x.ends.unwatch()
			x.ends = nil
		}
		x.over, x.err = true, fault.Wrap(fault.CodeOf(err), "the run could not be started", err)
		return x.err
	}
	return nil
}

// Ended takes the result; it is the last that is heard of r.
func (x *Future[Out]) Ended(r *frame.Run) {
	var out Out
	err := r.Result()
	if err == nil {
		out = Outcome[Out](r)
	}
	x.mu.Lock()
	x.run = nil
	x.mu.Unlock()
	r.Recycle() // before anybody can know: its handles are void from here on
	x.mu.Lock()
	x.out, x.err, x.over = out, err, true
	var last ends[Out]
	if x.ends != nil {
		last = *x.ends
		x.ends.then, x.ends.unwatch = nil, nil
	}
	if last.done != nil {
		close(last.done)
	}
	x.mu.Unlock()
	defer x.tell(last.then, out, err) // also if the context ends the goroutine
	if last.unwatch != nil {
		last.unwatch()
	}
}

// tell calls all of fns, also if one of them ends the goroutine.
func (x *Future[Out]) tell(fns []func(Out, error), out Out, err error) {
	defer func() {
		if len(fns) > 0 {
			x.tell(fns, out, err)
		}
	}()
	for len(fns) > 0 {
		fn := fns[0]
		fns = fns[1:]
		x.tool.Host().Call(func() { fn(out, err) })
	}
}

// errNoRun is the result of the zero Future.
var errNoRun = fault.New(fault.InvalidRequest, "the zero Running stands for no run")

// lock locks mu. The zero Future has ended from then on, so that nobody waits for it for ever.
func (x *Future[Out]) lock() {
	x.mu.Lock()
	if x.tool == nil && !x.over {
		x.over, x.err = true, errNoRun
	}
}

// wants is where to say what is to be done at the end; mu is held.
func (x *Future[Out]) wants() *ends[Out] {
	if x.ends == nil {
		x.ends = new(ends[Out])
	}
	return x.ends
}

// stop cancels the run because of its context.
func (x *Future[Out]) stop(ctx context.Context) {
	end := frame.End{Cause: context.Canceled}
	defer func() { // also if the context ends the goroutine
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.run != nil {
			stop(end, x.run)
		}
	}()
	end = frame.EndOf(ctx) // without the lock: it calls code of the user's
}

// Cancel asks the run to end; false if it has ended.
func (x *Future[Out]) Cancel(cause error) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.run == nil {
		return false
	}
	return x.run.Cancel(cause)
}

// Done is closed when the run has ended.
func (x *Future[Out]) Done() <-chan struct{} {
	x.lock()
	defer x.mu.Unlock()
	e := x.wants()
	if e.done == nil {
		e.done = make(chan struct{})
		if x.over {
			close(e.done)
		}
	}
	return e.done
}

// Result is the result of a run that has ended; ok is false before.
func (x *Future[Out]) Result() (out Out, err error, ok bool) {
	x.lock()
	defer x.mu.Unlock()
	return x.out, x.err, x.over
}

// Then calls fn with the result: at once if the run has ended, otherwise on
// the run's loop when it does.
func (x *Future[Out]) Then(fn func(Out, error)) {
	x.lock()
	if !x.over {
		e := x.wants()
		e.then = append(e.then, fn)
		x.mu.Unlock()
		return
	}
	out, err := x.out, x.err
	x.mu.Unlock()
	host := nowhere
	if x.tool != nil {
		host = x.tool.Host()
	}
	host.Call(func() { fn(out, err) })
}

// nowhere takes the panics of callbacks of a run that never had a loop.
var nowhere = tool.NewHost(tool.TurnLimits{})

// Tool is the loop of the run.
func (x *Future[Out]) Tool() tool.Tool { return x.tool }
