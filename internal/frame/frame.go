package frame

import (
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/site"
)

// Frame is a level that a fiber is in: which of its steps is current, and what that step has installed. The loop's
// goroutine owns every field but gen.
//
// A frame is embedded in an [Activation], or in a level of package dyn, which is built while the program runs.
type Frame struct {
	level      *Level
	outer      *Frame // the level around it; nil at the root of a fiber
	fiber      *Fiber
	activation *Activation // the activation that the memory belongs to

	// What the current step waits for.
	child *Activation // the activation of the sub-steps, if Call has entered one; for an activation in Run.cache, the next one there
	fork  *Fork       // branches
	wait  *Wait       // completion from outside

	resources *resources // timer, hook, cleanups, context; kept for the next user
	epoch     uint64     // changes with each step, for as long as the memory exists, so it identifies one step
	head      *Frame     // the level around it with the depth shownOuter-1; nil if there is none
	pc        int32      // the current step
	depth     int32      // how many levels are around it, across branches
	bits      bits

	// These fields are used only in Activation.root.

	fresh bool // Prepare has marked it, and it hasn't been entered or given back since
	// gen counts how often store has given the memory back; together with Run.gen it tells a stale Ref from a valid one. It is
	// atomic because a stale Ref may look at it while another run, on another loop, already uses the memory.
	gen atomic.Uint32
}

// bits are marks of the current step. Only the methods of state.go set them.
type bits uint8

const (
	begun     bits = 1 << iota // the step has begun, and hasn't ended
	handled                    // its handler is used up
	installed                  // resources holds something of this step
	violated                   // its code broke a rule: record.broken is raised when the code returns
	observed                   // StepStart was published, so StepEnd has to be
	held                       // its op is a Holder that holds something
	barren                     // its sub-steps were left before one of them had begun
	final                      // its op is a Finalizer that has to be called
)

// Init prepares a frame whose memory belongs to inst.
func (f *Frame) Init(inst *Activation, level *Level) {
	f.activation = inst
	f.level = level
	f.epoch = serials.Add(1) << epochs
}

// serials numbers the frames: the first epoch of a frame is its number << epochs. Steps of two frames get the same epoch only
// after one of the frames has executed 1<<epochs steps, or after 1<<(64-epochs) frames were made, when the numbers begin anew.
var serials atomic.Uint64

const epochs = 36

// Level returns the level whose steps the frame executes.
func (f *Frame) Level() *Level { return f.level }

// Run returns the run that the frame belongs to now.
func (f *Frame) Run() *Run { return f.fiber.run }

// Fiber returns the fiber that the frame belongs to now.
func (f *Frame) Fiber() *Fiber { return f.fiber }

// Flow returns the fiber that guards take for the flow of f. A branch of a shield belongs to the flow of the fiber that
// has forked it.
func (f *Frame) Flow() *Fiber { return f.fiber.flow() }

// Barren reports whether the sub-steps of the current step were left before any of them had begun.
func (f *Frame) Barren() bool { return f.bits&barren != 0 }

// Handled reports whether the current step's handler is used up. By that Resume tells the sub-steps of the handler from those
// of the body.
func (f *Frame) Handled() bool { return f.bits&handled != 0 }

// Info describes the current step.
func (f *Frame) Info() *site.Info {
	if all := f.level.Infos; all != nil && int(f.pc) < len(*all) {
		return (*all)[f.pc]
	}
	return unknown
}

var unknown = &site.Info{Kind: "step"}

// Fail stores err as the error of the current step, and returns Failed, which the op has to return too. A nil err stands for a
// violation.
func (f *Frame) Fail(err error) Verdict {
	if err == nil || f.fiber.unwinding == nil {
		return f.failFirst(err)
	}
	f.fiber.err = err
	return Failed
}

// failFirst is Fail for a fiber without an unwinding, and for a nil err. It isn't a part of Fail, so that Fail can be
// inlined.
func (f *Frame) failFirst(err error) Verdict {
	if err == nil {
		err = violation(f, "failed without an error")
	}
	f.fiber.unwinds().err = err
	return Failed
}

// Enter starts the steps of child as sub-steps of the current step.
func (f *Frame) Enter(child *Frame) Verdict {
	child.stand(f)
	child.outer = f
	child.enter(f.fiber)
	return Entered
}

// Call starts the steps of in, an activation from Open, as sub-steps of the current step. The activation is given back
// once they have been left, or when Resume has returned without using it again.
func (f *Frame) Call(in *Activation) Verdict {
	child := &in.root
	child.fresh = false
	child.depth = f.depth + 1
	f.child, child.outer, child.head = in, f, f.headInside()
	child.enter(f.fiber)
	return Entered
}

// CallFresh is Call for an activation that Prepare has marked. If the mark is gone, because the activation was used already,
// the step fails as with WrongNext.
func (f *Frame) CallFresh(in *Activation) Verdict {
	if !in.root.fresh {
		return f.WrongNext()
	}
	return f.Call(in)
}

// Repeat starts the sub-steps that have just ended once more, as Open and Call would for the same level. Only the Resume of an
// op may call it.
func (f *Frame) Repeat() Verdict {
	r := f.fiber.run
	f.child, r.endedLevel = r.endedLevel, nil
	f.child.root.enter(f.fiber)
	return Entered
}

// Ended returns the frame of the activation whose steps have just ended; Resume finds their result there. It returns nil if
// they had no activation of their own.
func (f *Frame) Ended() *Frame {
	if in := f.fiber.run.endedLevel; in != nil {
		return &in.root
	}
	return nil
}

// Forker returns the frame whose current step holds the branch that f belongs to. f must not belong to the main fiber.
func (f *Frame) Forker() *Frame { return f.fiber.parent().top }
