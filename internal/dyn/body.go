package dyn

import "github.com/futoin-go/asyncsteps/internal/frame"

// Body runs the code of steps. One Body may serve many steps at the same time: the data of one step is in its Step
// and its [Code].
type Body interface {
	// Exec begins the step. Values that Exec leaves in *in are reset.
	Exec(s *Step, in *Args)

	// Catch calls the error handler of the step. It returns false if the step has none.
	Catch(s *Step, err error) bool
}

// Code is the code of one step, for a Body that calls functions of another language: addresses that only the Body
// understands.
type Code struct{ Run, Catch, Data uintptr }

// Peer is the object of the other language that stands for a step.
type Peer interface {
	// Leave is called once, when the step has ended, or is dropped before it has begun.
	Leave()
}

// Typed is a step that executes a compiled plan in place of code.
type Typed interface {
	// Enter begins the plan with the given values, and takes them.
	Enter(f *frame.Frame, in *Args) frame.Verdict
	// Leave ends the step when the plan has ended, and puts its results into out.
	Leave(f *frame.Frame, out *Args) frame.Verdict
}
