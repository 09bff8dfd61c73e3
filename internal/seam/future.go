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

	mu      sync.Mutex
	run     *frame.Run // nil once the run has ended
	over    bool
	done    chan struct{} // made when somebody asks
	then    []func(Out, error)
	unwatch func() bool
	out     Out
	err     error
}

// Start queues a run of s on t. If it can't be started the future has ended
// with the reason already.
func Start[In, Out any](ctx context.Context, t tool.Tool, s *Stage[In, Out], in In) *Future[Out] {
	x := &Future[Out]{tool: t}
	ctx, watch, inst, err := s.ready(ctx, in)
	if err != nil {
		x.over, x.err = true, err
		return x
	}
	if err = x.launch(ctx, frame.NewRun(&inst.Instance, frame.Config{
		Context: ctx, Tool: t, Watch: watch, Owner: x,
	})); err != nil {
		frame.Refused(watch, err)
	}
	return x
}

// launch starts the run and has it watch its context.
func (x *Future[Out]) launch(ctx context.Context, r *frame.Run) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := r.Launch(); err != nil {
		r.Recycle()
		x.over, x.err = true, fault.Wrap(fault.CodeOf(err), "the run could not be started", err)
		return x.err
	}
	x.run = r
	if ctx.Done() != nil {
		x.unwatch = context.AfterFunc(ctx, func() { x.stop(ctx) })
	}
	return nil
}

// Ended takes the result; it is the last that is heard of r.
func (x *Future[Out]) Ended(r *frame.Run) {
	var out Out
	err := r.Result()
	if err == nil {
		out = r.Instance().Self().(interface{ result() Out }).result()
	}
	x.mu.Lock()
	x.run = nil
	x.mu.Unlock()
	r.Recycle() // before anybody can know: its handles are void from here on
	x.mu.Lock()
	x.out, x.err, x.over = out, err, true
	then, unwatch := x.then, x.unwatch
	x.then, x.unwatch = nil, nil
	if x.done != nil {
		close(x.done)
	}
	x.mu.Unlock()
	if unwatch != nil {
		unwatch()
	}
	for _, fn := range then {
		x.tool.Host().Call(func() { fn(out, err) })
	}
}

func (in *Instance[In, Out]) result() Out { return in.Out.V }

// stop cancels the run because of its context.
func (x *Future[Out]) stop(ctx context.Context) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.run != nil {
		Stop(ctx, x.run)
	}
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
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.done == nil {
		x.done = make(chan struct{})
		if x.over {
			close(x.done)
		}
	}
	return x.done
}

// Result is the result of a run that has ended; ok is false before.
func (x *Future[Out]) Result() (out Out, err error, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out, x.err, x.over
}

// Then calls fn with the result: at once if the run has ended, otherwise on
// the run's loop when it does.
func (x *Future[Out]) Then(fn func(Out, error)) {
	x.mu.Lock()
	if !x.over {
		x.then = append(x.then, fn)
		x.mu.Unlock()
		return
	}
	out, err := x.out, x.err
	x.mu.Unlock()
	fn(out, err)
}

// Tool is the loop of the run.
func (x *Future[Out]) Tool() tool.Tool { return x.tool }
