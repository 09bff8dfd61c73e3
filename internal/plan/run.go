package plan

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/tool"
)

// privateLoops makes and pools private loops, for runs that their caller drives. A run takes a
// loop only when it needs one, as a rule to wait for something.
type privateLoops struct {
	options tool.Options
	idle    sync.Pool
	spare   frame.Spare // the method take, bound once
}

func newPrivateLoops(o tool.Options) *privateLoops {
	p := &privateLoops{options: o}
	p.spare = p.take
	return p
}

// ordinary are the private loops without options.
var ordinary = newPrivateLoops(tool.Options{})

// privateLoop is a private loop in the form that its run sees: without the methods that drive
// it and end it.
type privateLoop struct {
	tool.Tool
	loop *tool.Manual
	own  drive.Loop // loop, as a drive.Loop
	from *privateLoops
	lent atomic.Pointer[lease] // the form given to user code; nil until user code asks for it

	// These fields are set while the loop is driven.
	run *frame.Run
	ctx context.Context // nil once it need not be checked any more
}

// Enough implements drive.Until.
func (s *privateLoop) Enough() bool {
	return s.run.HasEnded() || s.ctx != nil && s.ctx.Err() != nil
}

// take takes a loop for the run that the goroutine driver drives. From now on that goroutine
// counts as the loop's, except while it sleeps in runToEnd. The caller may be a coroutine of
// the driver: it must not be taken for the goroutine of the loop, because it ends earlier.
func (p *privateLoops) take(driver uint64) (tool.Tool, drive.Loop) {
	s, idle := p.idle.Get().(*privateLoop)
	if !idle {
		m := tool.NewManual(p.options)
		s = &privateLoop{Tool: m, loop: m, from: p}
		s.own, _ = drive.Of(m)
	}
	s.own.Seat().TakeAs(driver)
	return s, s.own
}

type optionsKey struct{}

// optional is set once any private loop has options.
var optional atomic.Bool

// WithOptions returns a context whose runs have private loops with these options.
func WithOptions(ctx context.Context, o tool.Options) context.Context {
	optional.Store(true)
	return context.WithValue(ctx, optionsKey{}, newPrivateLoops(o))
}

// spares returns the source of private loops for a run under ctx.
func spares(ctx context.Context) frame.Spare {
	if optional.Load() {
		if p, ok := frame.ValueOf(ctx, frame.Nobody, optionsKey{}).(*privateLoops); ok {
			return p.spare
		}
	}
	return ordinary.spare
}

// Run executes s on the caller's goroutine and returns its result.
func Run[In, Out any](ctx context.Context, s *Stage[In, Out], in In) (out Out, err error) {
	c := frame.Config{Context: ctx}
	inst, _, err := s.ready(&c, nil, in)
	if err != nil {
		return out, err
	}
	ctx = c.Context
	c.Spare, c.Driver = spares(ctx), goid.Current()
	d := &driver{run: frame.NewRun(inst, &c)}
	returned := false
	defer func() {
		if !returned { // user code has called Goexit: finish the run before this goroutine ends
			abandon(d)
		}
	}()
	runToEnd(ctx, d)
	returned = true
	if err = d.run.Result(); err == nil {
		out = Outcome[Out](d.run)
	}
	d.run.Recycle()
	return out, err
}

// abandon finishes a run on a goroutine that is ending.
func abandon(d *driver) {
	ended := false
	defer func() {
		if !ended { // a hook or a cleanup has called Goexit too: each is called only once
			abandon(d)
		}
	}()
	d.run.Cancel(errGone)
	runToEnd(context.Background(), d)
	ended = true
}

var errGone = fault.New(fault.Cancelled, "the goroutine of the run has ended")

// driver drives a run to its end.
type driver struct {
	run *frame.Run
	own *privateLoop // the run's loop, once the driver has had to drive it
}

// runToEnd drives the run until it has ended. It may be called again if runtime.Goexit has
// interrupted it.
func runToEnd(ctx context.Context, d *driver) {
	r := d.run
	stopped := false // true when only the unwinding is left, so that ctx no longer counts
	guarded := false // a run that ends in its first turn doesn't need a guarded context
	if d.own != nil {
		d.own.own.Seat().Take() // a goroutine that ended while asleep has left the seat
	}
	for r.Turn(); !r.HasEnded(); {
		if !guarded {
			ctx, guarded = frame.Guard(ctx, nil), true //nolint:fatcontext // once
		}
		if !stopped && ctx.Err() != nil {
			stopped = true
			stop(frame.EndOf(ctx), r)
		}
		if !r.Looped() { // the run has used up its share of a turn
			r.Turn()
			continue
		}
		if d.own == nil {
			d.own = r.Tool().(*privateLoop)
			d.own.run = r
		}
		if d.own.ctx = ctx; stopped || ctx.Done() == nil { // such a context never ends
			d.own.ctx = nil
		}
		if d.own.own.Turns(d.own) {
			continue
		}
		wait := ctx
		if stopped {
			wait = context.Background()
		}
		d.own.own.Seat().Leave()
		_ = d.own.loop.Wait(wait) // the end of ctx is checked above
		d.own.own.Seat().Take()
	}
	if d.own == nil && r.Looped() {
		d.own = r.Tool().(*privateLoop)
	}
	if d.own != nil {
		d.own.run, d.own.ctx = nil, nil
		d.own.own.Seat().Leave()
		if r.Forsaken() {
			frame.Elsewhere(d.own.forsake)
			return
		}
		d.own.vacate()
	}
}

// ErrLoopEnds is the cause with which runs are cancelled that a run has started on its own
// private loop.
var ErrLoopEnds = fault.New(fault.Cancelled, "the loop belonged to a run of flow.Run that has ended")

// vacate ends the use of the private loop of a run. If no other code can refer to the loop any
// more, it serves another run later.
func (s *privateLoop) vacate() {
	if l := s.lent.Load(); l != nil {
		if !l.end(s.loop) {
			return
		}
		s.lent.Store(nil)
	}
	if s.loop.Reset() == nil {
		s.from.idle.Put(s)
	}
}

// forsake ends the use of the private loop of a run that has ended without a part that was left, and
// drives the part to its end.
func (s *privateLoop) forsake() {
	over := false
	defer func() {
		if !over { // the part has called Goexit
			frame.Elsewhere(s.forsake)
		}
	}()
	s.loop.Host().Stop(ErrLoopEnds)
	rest(s.loop)
	if l := s.lent.Load(); l != nil {
		l.close(true)
	}
	over = true
}

// rest drives a loop that accepts no more runs until none is left on it, and ends it.
func rest(loop *tool.Manual) {
	for loop.Host().Live() > 0 {
		if !loop.Iterate() {
			_ = loop.Wait(context.Background())
		}
	}
	_ = loop.Shutdown(context.Background()) // no registration is left, so it has nothing to wait for
}

// stop cancels r because its context has ended: a deadline that has passed is a
// timeout.
func stop(end frame.End, r *frame.Run) {
	if end.Late {
		r.Expire(end.Cause)
		return
	}
	r.Cancel(end.Cause)
}
