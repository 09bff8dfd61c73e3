package plan

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// Told is a Future with one receiver of its result.
type Told[Out any] struct {
	Future[Out]

	To    Receiver[Out] // is told the result
	Asker *tool.Host    // the host of the run that asks for this one and waits for it; its loop may be shutting down (M10)

	ran bool // see Ran
}

// Receiver gets the result of a run on the loop of the run, when the run has ended. If the run can't be started, StartTold
// gives it the reason.
type Receiver[Out any] interface{ Receive(out Out, err error) }

// StartTold queues a run of s on t and connects it with x, of which only To and Asker may be set. owner is x, or a
// value that embeds x. If the run can't be started, x.To is told the reason before StartTold returns. A panic in x.To
// is reported to the host of t.
func StartTold[In, Out any](ctx context.Context, t tool.Tool, s *Stage[In, Out], in In, x *Told[Out], owner frame.Owner) {
	if StartFor(ctx, t, s, in, &x.Future, owner, x.Asker) != nil {
		x.tell()
	}
}

// Ended takes the result of r, and passes it on.
func (x *Told[Out]) Ended(r *frame.Run) {
	x.ran = true
	x.Future.Ended(r)
	x.tell()
}

// Ran reports whether there was a run. If it returns false, the run couldn't be started. It is for x.To, when that is told the result.
func (x *Told[Out]) Ran() bool { return x.ran }

func (x *Told[Out]) tell() { x.host.Call(func() { x.To.Receive(x.out, x.err) }) }
