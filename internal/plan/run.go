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
}

func newPrivateLoops(o tool.Options) *privateLoops { return &privateLoops{options: o} }

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

// Options returns the options that WithOptions has put into ctx, the zero Options if there are none.
func Options(ctx context.Context) tool.Options {
	if p := optionsIn(ctx); p != nil {
		return p.options
	}
	return tool.Options{}
}

// optionsIn returns the private loops whose options are in ctx, nil if there are none.
func optionsIn(ctx context.Context) *privateLoops {
	if ctx == nil || !optional.Load() {
		return nil
	}
	p, _ := frame.ValueOf(ctx, frame.Nobody, optionsKey{}).(*privateLoops)
	return p
}

// spare returns a private loop for a run under ctx that the goroutine driver drives.
func spare(ctx context.Context, driver uint64) (tool.Tool, drive.Loop) {
	if p := optionsIn(ctx); p != nil {
		return p.take(driver)
	}
	return ordinary.take(driver)
}

// Run executes s on the caller's goroutine and returns its result.
//
// What doesn't depend on the types is in alone and runToEnd, because generic code looks up its types.
func Run[In, Out any](ctx context.Context, s *Stage[In, Out], in In) (out Out, err error) {
	r, ctx, err := s.alone(ctx)
	if err != nil {
		return out, err
	}
	Give(rootOf(r), in)
	if err = runToEnd(ctx, r); err == nil {
		out = *OutputOf[Out](rootOf(r).Frame())
	}
	r.Recycle()
	return out, err
}

// alone makes a run of s that has no loop yet, and returns its context.
func (s *source) alone(ctx context.Context) (*frame.Run, context.Context, error) {
	p := s.compile()
	if p.err != nil {
		return nil, nil, p.err
	}
	var watch frame.Watch
	ends := !unasked(ctx)
	if ends {
		var err error
		if ctx, watch, err = admit(ctx, nil, s.node); err != nil {
			return nil, nil, err
		}
	}
	r := frame.Alone(ctx, frame.TakeRoot(p.level), spare, goid.Current(), watch)
	if ends {
		r.Bind()
	}
	return r, ctx, nil
}

// runToEnd drives r until it has ended, and returns its error.
func runToEnd(ctx context.Context, r *frame.Run) error {
	d := driver{run: r}
	returned := false
	defer func() {
		if !returned { // user code has called Goexit: finish the run before this goroutine ends
			abandon(&d)
		}
	}()
	if r.Turn(); !r.HasEnded() || r.Looped() {
		d.goOn(ctx)
	}
	returned = true
	return r.Result()
}

// abandon finishes a run on a goroutine that is ending.
func abandon(d *driver) {
	ended := false
	defer func() {
		if !ended { // a hook or a cleanup has called Goexit too: each is called only once
			abandon(d)
		}
	}()
	if d.own != nil {
		d.own.own.Seat().Take() // a goroutine that ended while asleep has left the seat
	}
	d.run.Cancel(errGone)
	d.run.Turn()
	d.goOn(context.Background())
	ended = true
}

var errGone = fault.New(fault.Cancelled, "the goroutine of the run has ended")

// driver drives a run to its end.
type driver struct {
	run *frame.Run
	own *privateLoop // the run's loop, once the driver has had to drive it
}

// goOn drives the run, which has taken a turn, until it has ended. It may be called again if
// runtime.Goexit has interrupted it.
func (d *driver) goOn(ctx context.Context) {
	r := d.run
	stopped := false // true when only the unwinding is left, so that ctx no longer counts
	guarded := false // a run that ends in its first turn doesn't need a guarded context
	for !r.HasEnded() {
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
		if s := d.own; r.Forsaken() {
			frame.Elsewhere(func() { forsake(s.loop, s.retract) })
			return
		}
		d.own.vacate()
	}
}

// ErrLoopEnds is the cause with which runs are cancelled that a run has started on its own
// private loop.
var ErrLoopEnds = fault.New(fault.Cancelled, "the loop belonged to a run that has ended: of flow.Run, or of a range over stream.All")

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

// retract takes the loop back from user code, for good.
func (s *privateLoop) retract() {
	if l := s.lent.Load(); l != nil {
		l.close(true)
	}
}

// forsake ends the use of the private loop of a run that has ended without a part that was left, and
// drives the part to its end. It calls over then.
func forsake(loop *tool.Manual, over func()) {
	ended := false
	defer func() {
		if !ended { // the part has called Goexit
			frame.Elsewhere(func() { forsake(loop, over) })
		}
	}()
	end(loop)
	over()
	ended = true
}

// end ends a loop for good, and cancels the runs that live on it.
func end(loop *tool.Manual) {
	loop.Host().Stop(ErrLoopEnds)
	rest(loop)
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
