package frame

import (
	"math"
	"sync/atomic"
)

// Instance is the activation of one level in one run: its frame, and behind
// that, in the same memory, the values between its steps and what their ops have
// to remember (package seam knows where). It is taken when the level is entered
// and given back when the level is left, so a run that waits holds the levels it
// waits in and nothing else. Given back, it holds nothing of its run.
type Instance struct {
	root   Frame // first: an Instance and its frame have one address
	memory *Memory
	run    *Run      // kept for when the instance is the root of a run again
	next   *Instance // in Run.idle
	// gen counts the uses by different runs. It is atomic because a stale handle
	// may look at it while another run, on another loop, already uses the memory.
	gen   atomic.Uint32
	fresh bool // taken, but not entered
}

// retired is the generation of memory that no run uses any more: what handles of
// its first use have must not come back.
const retired = math.MaxUint32

// Init makes the instance whole. memory is nil for one that isn't pooled.
func (in *Instance) Init(level *Level, memory *Memory) {
	in.memory = memory
	in.root.Init(in, level)
}

// Root takes an instance of level for a run to begin with.
func Root(level *Level) *Instance {
	in := level.Memory.root()
	in.root.level = level
	return in
}

// Open takes an instance of level for sub-steps of f's current step. That step
// gives it its input and enters it with Call.
func (f *Frame) Open(level *Level) *Instance {
	r := f.strand.run
	in := r.ended
	if in != nil && in.memory == level.Memory {
		r.ended = nil // the next iteration takes the memory of the last one
	} else if in = r.atHand(level.Memory); in == nil {
		in = level.Memory.take()
	}
	in.root.level = level
	return in
}

// Close gives back an instance that Open gave and that isn't entered.
func (f *Frame) Close(in *Instance) { f.strand.run.release(in) }

// Instance is the memory that the frame belongs to.
func (f *Frame) Instance() *Instance { return f.inst }

// Frame is the frame of the level.
func (in *Instance) Frame() *Frame { return &in.root }

// Prepare marks an instance as one that is to be entered, once.
func (in *Instance) Prepare() { in.fresh = true }

// Fresh says whether it still is.
func (in *Instance) Fresh() bool { return in.fresh }

// Release gives back the instance of a run that was not started.
func (in *Instance) Release() {
	in.clear()
	if in.gen.Add(1) < retired {
		in.memory.roots.Put(in)
	}
}

// Error makes an Instance fit where an error does. Nobody calls it.
func (in *Instance) Error() string { return "sub-steps" }

func (in *Instance) clear() {
	in.fresh = false
	if m := in.memory; m != nil && m.Clear != nil {
		m.Clear(in)
	}
}

// store ends the use of a cleared instance by this run: from here on it may be
// another one's, which is what gen tells to those that still have a Ref. That
// of a run's root needs no telling: the run's own generation does.
func (in *Instance) store() {
	if in.gen.Add(1) < retired {
		in.memory.inner.Put(in)
	}
}
