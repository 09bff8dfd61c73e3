package frame

import "sync/atomic"

// Frame is the activation of one level: which of its steps is current and
// what that step has installed. The loop's goroutine owns every field.
//
// A frame is embedded in an [Instance], or in what its level was built in. Both
// are pooled, so entering a level allocates nothing; Enter sets every field that
// a run relies on.
type Frame struct {
	level  *Level
	parent *Frame // the level below; nil at the root of a strand
	strand *Strand
	inst   *Instance // whose memory this is

	// What the current step waits for; at most one of the three is set.
	child *Instance // sub-steps that belong to another instance
	fork  *Fork     // branches
	slot  *Slot     // completion from outside

	signal *Signal // for the current step, a loop
	gear   *gear   // timer, hook, cleanups, context; kept for the next user
	epoch  uint64  // counts steps, for the life of the memory: names one step
	outer  *Frame  // the innermost of the shownOuter outermost levels around it; nil if it is one of these
	pc     int32   // the current step
	depth  int32   // how many levels are around it, across branches
	bits   bits
}

// bits say what the current step has; see state.go for who sets them.
type bits uint8

const (
	begun    bits = 1 << iota // the body was called and the step hasn't ended
	handled                   // its handler is used up
	geared                    // gear holds something of this step
	violated                  // Run.broken is to be raised when its code returns
	observed                  // its end is to be reported, as its start was
	held                      // its op is a Holder that holds something
	barren                    // its sub-steps were left before one of them had begun
)

// Init prepares a frame embedded in an op of inst.
func (f *Frame) Init(inst *Instance, level *Level) {
	f.inst = inst
	f.level = level
	f.epoch = serials.Add(1) << epochs
}

// serials counts the frames that were made. Their first epochs are so many bits
// apart.
var serials atomic.Uint64

const epochs = 36

// Level is what the frame is an activation of.
func (f *Frame) Level() *Level { return f.level }

// Run is the run the frame belongs to now.
func (f *Frame) Run() *Run { return f.strand.run }

// Strand is the flow the frame belongs to now.
func (f *Frame) Strand() *Strand { return f.strand }

// Handled says whether the current step's handler is used up, which tells
// Resume whose sub-steps have ended: the body's or the handler's.
func (f *Frame) Handled() bool { return f.bits&handled != 0 }

// Info says what the current step is.
func (f *Frame) Info() *Info {
	if all := f.level.Infos; all != nil && int(f.pc) < len(*all) {
		return (*all)[f.pc]
	}
	return unknown
}

var unknown = &Info{Kind: "step"}

// Fail ends the step with err.
func (f *Frame) Fail(err error) Verdict {
	if err == nil {
		err = violation(f, "failed without an error")
	}
	f.strand.err = err
	return Failed
}

// Enter starts the steps of child as sub-steps of the current step.
func (f *Frame) Enter(child *Frame) Verdict {
	child.parent = f
	child.enter(f.strand)
	child.stand(f)
	return Entered
}

// Call starts the steps of an instance that Open gave as sub-steps of the
// current step. The instance is given back when they have ended, after Resume
// has had a look at it.
func (f *Frame) Call(in *Instance) Verdict {
	in.fresh = false
	f.child = in
	return f.Enter(&in.root)
}

// Ended is the frame of the instance whose steps have just ended, for Resume,
// which finds their result in it. It is nil if they were not in an instance of
// their own.
func (f *Frame) Ended() *Frame {
	if in := f.strand.run.ended; in != nil {
		return &in.root
	}
	return nil
}

// Forker is the frame whose current step holds the branch that f belongs to.
func (f *Frame) Forker() *Frame { return f.strand.parent.top }
