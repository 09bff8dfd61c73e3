package frame

// Op is one compiled step. The machine calls its methods on the goroutine that drives the run, one call at a time. The program
// counter of the frame f stands at the op.
//
// An op of a plan is immutable: all runs of the plan share it at the same time. Its state in one run
// is in the activation of its level.
type Op interface {
	// Exec begins the step.
	Exec(f *Frame) Verdict
	// Resume goes on with a step after Entered, Forked or Waiting. It is called when the sub-steps or the fork of the step have
	// succeeded, when its wait was completed, with a value or an error, or when a jump has reached the step, see Landed.
	Resume(f *Frame) Verdict
	// Handle is called when an error reaches the step, at most once (E1, E2).
	Handle(f *Frame, err error) Verdict
	// Loops reports whether the step is a loop that g leaves or continues.
	Loops(g *Jump) bool
}

// Holder is an op that holds something while its sub-steps run or it waits, from Hold to Unhold. If
// the step is left without success before Unhold, Release is called once, when a cancel hook would be.
type Holder interface{ Release(f *Frame) }

// Hold makes the machine call Release of the op of the current step, a Holder, if the step is
// left without success.
func (f *Frame) Hold() { f.mark(held) }

// Unhold undoes Hold.
func (f *Frame) Unhold() { f.unmark(held) }

// Verdict tells how an op goes on.
type Verdict uint8

const (
	// Done: the step succeeded and its value is in its cell.
	Done Verdict = iota
	// Entered: sub-steps, one level further inside, were entered.
	Entered
	// Forked: branches were started with Fork.
	Forked
	// Waiting: the step is suspended on the wait it opened.
	Waiting
	// Failed: the step failed with the error given to Fail.
	Failed
	// Jumped: the step sends the jump given to Frame.Jump.
	Jumped
	// Halted: the step waits to be left by a cancel that was accepted, see Frame.Commit.
	Halted
	// Silent: the handler has no answer, and the same error goes on outwards.
	Silent
	// Unhandled: the step has no handler for the error, which goes on outwards.
	Unhandled
)

// Leaf implements Resume, Handle and Loops for an op that neither waits nor handles errors, and is
// no loop. If it has sub-steps, they write its value.
type Leaf struct{}

// Resume ends the step: its sub-steps have written its value.
func (Leaf) Resume(*Frame) Verdict { return Done }

// Handle lets every error pass.
func (Leaf) Handle(*Frame, error) Verdict { return Unhandled }

// Loops returns false.
func (Leaf) Loops(*Jump) bool { return false }

// Plain is an op that is a function: a step that ends when the function returns, with Done or
// with what Fail returns. The machine calls it directly instead of by Exec.
type Plain func(f *Frame) Verdict

// Exec calls the function.
func (p Plain) Exec(f *Frame) Verdict { return p(f) }

// Resume isn't called: the step neither waits nor has sub-steps.
func (Plain) Resume(f *Frame) Verdict { return Leaf{}.Resume(f) }

// Handle lets every error pass.
func (Plain) Handle(f *Frame, err error) Verdict { return Leaf{}.Handle(f, err) }

// Loops returns false.
func (Plain) Loops(g *Jump) bool { return Leaf{}.Loops(g) }
