package seam

import "time"

// graced is a step that sets the grace of its sub-steps.
type graced[In, Out any] struct {
	group[In, Out]
	grace time.Duration
}

// Grace implements frame.Gracer.
func (o *graced[In, Out]) Grace() (time.Duration, bool) { return o.grace, true }

// Grace runs s, whose steps may take d to end when they are to be left.
func Grace[In, Out any](d time.Duration, s *Stage[In, Out]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("grace", func(e *Emitter) {
		holding(e, s.node, func(e *Emitter, g group[In, Out], body Held) { e.Op(n, &graced[In, Out]{g, d}, body) })
	}, s.node)
	if d == 0 {
		n.Reject("Grace: the grace must not be zero")
	}
	return NewStage[In, Out](n)
}
