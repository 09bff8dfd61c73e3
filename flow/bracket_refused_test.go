package flow_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type refusingLoop struct {
	*tooltest.Loop
	closed bool
}

func (l *refusingLoop) Deferred(d time.Duration, fn func()) (tool.Handle, error) {
	if l.closed {
		return 0, tool.ErrShutdown
	}
	return l.Loop.Deferred(d, fn)
}

// K2, K4: on a loop that refuses the timer for the grace, a release is left at once, with an error of the code CutOff.
func TestReleaseOnALoopThatRefuses(t *testing.T) {
	loop := &refusingLoop{Loop: tooltest.New()}
	use := step.Func(func(_ step.Scope, in int) (int, error) {
		loop.closed = true
		return in, errFirst
	})
	var rec recorder
	run := flow.Start(t.Context(), loop, flow.Bracket(plantest.Add(100), use, rec.release("a")), 5)
	loop.Run()
	_, err := run.Result() // flow.ErrRunning if the run hasn't ended
	e := plantest.WantCode(t, err, errFirst.Code)
	if len(e.Secondary) == 0 || fault.CodeOf(e.Secondary[0]) != fault.CutOff {
		t.Errorf("secondary are %v, want the release that was not waited for", e.Secondary)
	}
	rec.Want(t)
}
