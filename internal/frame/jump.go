package frame

import (
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
)

// Label names a loop. In a compiled plan a jump finds its loop by the address of the Label, or by the Name if the Jump is
// Named. In package dyn it finds its loop by the Name.
type Label struct{ Name string }

// Jump is a break or a continue on its way to its loop. It travels like the error of a step,
// but no handler sees it (L1). It isn't an error, so that user code can't get hold of one and
// return it from another step (C9).
type Jump struct {
	Label *Label // nil: the nearest loop
	Named bool   // any label with the name of Label is meant
	Again bool   // continue with the next iteration; otherwise break
	Value any    // the value that the loop goes on with, if Given
	Given bool
}

// errLeft stands for a Jump where user code may see why a step is left, as in the cause of its context (C9).
var errLeft error = fault.New(fault.Cancelled, "the step was left by a break or a continue")

// Jump makes the current step send g.
func (f *Frame) Jump(g *Jump) Verdict {
	f.fiber.unwinds().jump = g
	return Jumped
}

// Means reports whether g is for a loop with the label l, which is nil for a loop without one.
func (g *Jump) Means(l *Label) bool {
	return g.Label == nil || g.Label == l || g.Named && l != nil && g.Label.Name == l.Name
}

// String describes g in the error of a Jump for which there is no loop.
func (g *Jump) String() string {
	what := "break"
	if g.Again {
		what = "continue"
	}
	if g.Label != nil {
		return what + " " + g.Label.Name
	}
	return what
}

// findLoop finds the loop that g leaves or continues, also in the fibers that s descends from (L1, P5). It returns nil
// if there is none.
func (s *Fiber) findLoop(g *Jump) *Frame {
	for ; s != nil; s = s.parent() {
		for f := s.top; f != nil; f = f.outer {
			// Once the handler of a loop is used up, its step isn't a loop any more.
			if f.bits&(begun|handled) == begun && f.level.Ops[f.pc].Loops(g) {
				return f
			}
		}
	}
	return nil
}

// beginJump makes s, whose current step has sent g, leave levels until it reaches the loop of g. Without such a loop s
// raises an error instead (L3).
func (r *Run) beginJump(s *Fiber, g *Jump) {
	if s.target = s.findLoop(g); s.target != nil {
		s.raiseJump(g)
		return
	}
	rule := "asks for " + g.String() + ", but is in no loop"
	if g.Label != nil {
		rule += " of that label"
	}
	s.raise(violation(s.top, rule))
	s.trail.raised()
	r.remember(s.err)
	r.publish(Raised, s.top, s.err)
}

func (r *Run) landJump(s *Fiber) {
	g := s.jump
	s.target = nil
	lost := slices.Clone(s.trail.defects) // no error is left to which they could be joined
	s.trail.clear()
	s.recovered()
	s.jump = g // until the loop takes it
	s.wake()
	r.next = s
	r.complain(lost)
}

// failure returns the error because of which s leaves levels; nil for a jump, which is no error.
func (s *Fiber) failure() error {
	if s.jump != nil {
		return nil
	}
	return s.err
}

// Landed takes the jump that has reached the current step, a loop. It returns nil if the loop was resumed because its body has
// succeeded.
func (f *Frame) Landed() *Jump {
	u := f.fiber.unwinding
	if u == nil {
		return nil
	}
	g := u.jump
	u.jump = nil
	return g
}
