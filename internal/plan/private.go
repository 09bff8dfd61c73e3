package plan

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/private"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// Private is a run on a private loop. The caller drives the loop when it has nothing else to do. Drive and Leave are for
// one goroutine at a time, and not for steps.
type Private[Out any] struct {
	Future[Out]

	loop     *tool.Manual
	forsaken bool // a part of the run was left behind
	wakeup   private.Wakeup
}

// StartPrivate queues a run of s on a new loop with the options that WithOptions has put into ctx. Leave ends the run and the
// loop.
func StartPrivate[In, Out any](ctx context.Context, s *Stage[In, Out], in In) *Private[Out] {
	x := &Private[Out]{loop: tool.NewManual(private.Options(ctx))}
	x.wakeup.Init(x.loop)
	_ = StartFor(ctx, x.loop, s, in, &x.Future, x, nil) // x has the error
	return x
}

// Ended takes the result of r.
func (x *Private[Out]) Ended(r *frame.Run) {
	x.forsaken = r.Forsaken()
	x.Future.Ended(r)
}

// Drive drives the loop until ready returns true, and reports true then. If the run ends before, it reports false. User code
// may end the goroutine meanwhile.
func (x *Private[Out]) Drive(ready func() bool) bool {
	for !ready() {
		if _, _, ended := x.Result(); ended {
			return false
		}
		if !x.loop.Iterate() {
			_ = x.loop.Wait(context.Background()) // not limited, because the run ends with its own context
		}
	}
	return true
}

// Wake makes Drive call its argument ready once more. Drive may be waiting on another goroutine.
func (x *Private[Out]) Wake() { x.wakeup.Post() }

// Dismiss cancels the run if it hasn't ended, and drives it for a turn, so that its steps hear of it.
func (x *Private[Out]) Dismiss(cause error) {
	x.Cancel(cause)
	x.Wake()
	turned := false
	x.Drive(func() bool {
		was := turned
		turned = true
		return was
	})
}

// Leave cancels the run if it hasn't ended, and drives it to its end. Then it ends the loop and the other runs there: a
// load that others wait for begins again on another loop (M5). If the run has left a part behind, another goroutine ends
// the loop, after it has driven the loop until the part has ended. The caller defers Leave, because user code may end the
// goroutine in any call of Drive. If user code ends the goroutine in Leave, Leave goes on all the same.
func (x *Private[Out]) Leave(cause error) {
	left := false
	defer func() {
		if !left {
			x.Leave(cause)
		}
	}()
	x.Cancel(cause)
	x.Drive(func() bool { return false })
	if x.forsaken {
		usercode.Elsewhere(func() { private.Forsake(x.loop, func() {}) })
	} else {
		private.End(x.loop)
	}
	left = true
}
