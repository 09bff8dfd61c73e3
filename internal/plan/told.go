package plan

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// Told is a Future with one receiver of its result, which needs no memory besides, as the list of
// functions given to Then does.
type Told[Out any] struct {
	Future[Out]
	to Receiver[Out]
}

// Receiver gets the result of a run when it has ended, on the loop of the run.
type Receiver[Out any] interface{ Receive(out Out, err error) }

// StartTold queues a run of s on t and connects it with x, which must be the zero Told, and with owner: x, or
// what has x embedded. If the run can't be started, to is told the reason before StartTold returns. A panic
// in to is reported to the host of t.
func StartTold[In, Out any](ctx context.Context, t tool.Tool, s *Stage[In, Out], in In, x *Told[Out], to Receiver[Out], owner frame.Owner) {
	x.to = to
	if StartFor(ctx, t, s, in, &x.Future, owner) != nil {
		x.tell()
	}
}

// Ended takes the result of r, and passes it on.
func (x *Told[Out]) Ended(r *frame.Run) {
	x.Future.Ended(r)
	x.tell()
}

func (x *Told[Out]) tell() { x.host.Call(func() { x.to.Receive(x.out, x.err) }) }
