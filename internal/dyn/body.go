package dyn

import (
	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Args are the values that travel between steps.
type Args = binval.Args

// Body runs the code of steps. One Body may serve many steps at once: what
// belongs to one is in the Step and its [Code].
type Body interface {
	// Exec begins the step. What it leaves of the values is reset.
	Exec(s *Step, in *Args)

	// Catch is the error handler; false if the step has none.
	Catch(s *Step, err error) bool
}

// Code is the code of one step to a Body that calls functions of another
// language: addresses that mean nothing here.
type Code struct{ Run, Catch, Data uintptr }

// Peer is what a step is to the other language.
type Peer interface {
	// Leave is called once, when the step has ended.
	Leave()
}

// Typed is a step that isn't code but a compiled plan of another kind.
type Typed interface {
	// Enter begins it with the values in in, which it takes.
	Enter(f *frame.Frame, in *Args) frame.Verdict
	// Leave ends it after its sub-steps and gives its values.
	Leave(f *frame.Frame, out *Args) frame.Verdict
}
