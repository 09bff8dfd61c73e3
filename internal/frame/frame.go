package frame

import "sync/atomic"

// Level is the compiled form of one sequence of steps: the ops of one
// instance and, shared by all instances, what each of them is.
type Level struct {
	Ops   []Op
	Infos *Infos
}

// Infos is what the steps of a level are.
type Infos []*Info

// Frame is the activation of one level: which of its steps is current and
// what that step has installed. The loop's goroutine owns every field.
//
// Frames are embedded in the ops that enter them (or in an Instance), so
// entering a level allocates nothing; Enter sets every field a run relies on.
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
	pc     int32   // the current step
	epoch  uint32  // counts steps, for the life of the memory: names one step
	serial uint32  // names the memory, for Stamp
	bits   bits
	hide   bool // the number of its step isn't shown in paths
	lane   bool // it has no step of the user's: not observed
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
)

// Init prepares a frame embedded in an op of inst.
func (f *Frame) Init(inst *Instance, level *Level) {
	f.inst = inst
	f.level = level
	f.serial = serials.Add(1)
}

var serials atomic.Uint32

// Hide keeps the level's own number out of paths, and the level out of traces.
func (f *Frame) Hide() { f.hide = true }

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
	return Entered
}

// Call starts the steps of another instance as sub-steps of the current step.
// The instance goes back to its pool when they end.
func (f *Frame) Call(inst *Instance) Verdict {
	inst.fresh = false
	f.child = inst
	return f.Enter(&inst.root)
}
