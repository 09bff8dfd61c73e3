package private

import (
	"context"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// ToEnd drives r until it has ended, and returns its error. When ctx ends, r is cancelled.
func ToEnd(ctx context.Context, r *frame.Run) error {
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

func abandon(d *driver) {
	ended := false
	defer func() {
		if !ended { // a hook or a cleanup has called Goexit too; each is called only once, so this ends
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

type driver struct {
	run *frame.Run
	own *loop // the run's loop; nil until the driver needs it
}

// goOn drives the run, which has taken a turn, until it has ended. It may be called again if
// runtime.Goexit has interrupted it.
func (d *driver) goOn(ctx context.Context) {
	r := d.run
	stopped := false // ctx has ended, and the run was told: from then on ctx doesn't count
	wrapped := false // a run that ends in its first turn doesn't need a wrapped context
	for !r.HasEnded() {
		if !wrapped {
			host, _ := Host(ctx)
			ctx, wrapped = usercode.Context(ctx, host), true //nolint:fatcontext // once
		}
		if !stopped && ctx.Err() != nil {
			stopped = true
			Stop(usercode.EndOf(ctx), r)
		}
		if !r.Looped() { // a run without a loop can't wait: it has used up its share of a turn
			r.Turn()
			continue
		}
		if d.own == nil {
			d.own = r.Tool().(*loop)
			d.own.run = r
		}
		if d.own.ctx = ctx; stopped || ctx.Done() == nil { // ctx doesn't count any more, or never ends
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
		d.own = r.Tool().(*loop)
	}
	if d.own != nil {
		d.own.run, d.own.ctx = nil, nil
		d.own.own.Seat().Leave()
		if s := d.own; r.Forsaken() {
			usercode.Elsewhere(func() { Forsake(s.loop, s.retract) })
			return
		}
		d.own.vacate()
	}
}

// Stop cancels r because its context has ended. The end of a deadline is a timeout.
func Stop(end usercode.End, r *frame.Run) {
	if end.Late {
		r.Expire(end.Cause)
		return
	}
	r.Cancel(end.Cause)
}
