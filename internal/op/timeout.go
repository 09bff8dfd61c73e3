package op

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// timed is a step with a time limit on its sub-steps (C3).
type timed[In, Out any] struct {
	group[In, Out]
	limit time.Duration
}

func (o *timed[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	f.SetTimeout(o.limit)
	return o.enter(f)
}

// Timeout limits how long s may take. The steps of s are always sub-steps, so that a limit that
// they set themselves doesn't replace this one.
func Timeout[In, Out any](limit time.Duration, s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("timeout", func(e *plan.Emitter, n *plan.Node) {
		holding(e, s.Node(), func(e *plan.Emitter, g group[In, Out], body plan.Held) { e.Op(n, &timed[In, Out]{g, limit}, body) })
	}, s.Node())
	n.Tell(func() []plan.Parameter { return []plan.Parameter{plan.Set("limit", limit)} })
	if limit <= 0 {
		n.Reject("Timeout: the limit must be positive, got " + limit.String())
	}
	return plan.NewStage[In, Out](n)
}
