package frame

import "math"

// Activation is the memory of one run for one level: a frame and, behind it, the values between the steps and the state of the
// ops; package plan knows the layout. A run takes an activation in order to enter the level, and gives it back after it has
// left the level. From then on the activation refers to no value of the run.
type Activation struct {
	root   Frame // first, so that an Activation and its frame have the same address
	memory *Memory
	run    *Run // memory of a Run, kept for the next run that has this activation as its root
}

// retired is the generation at which memory is given to the garbage collector instead of the pool. Otherwise the generations
// would begin anew, and handles of the first use would become valid again.
const retired = math.MaxUint32

// Init sets up a new activation. memory is nil if the activation isn't pooled.
func (in *Activation) Init(level *Level, memory *Memory) {
	in.memory = memory
	in.root.Init(in, level)
}

// TakeRoot takes an activation of level to be the root of a run.
func TakeRoot(level *Level) *Activation {
	in, ok := level.Memory.roots.Get().(*Activation)
	if !ok {
		in = level.Memory.New()
	}
	in.root.level = level
	return in
}

// Open takes an activation of level for sub-steps, or for a branch, of f's current step. The op of the step then sets the input
// in the activation, and enters the activation, as by Call, or gives it to a branch.
func (f *Frame) Open(level *Level) *Activation {
	r := f.fiber.run
	in := r.endedLevel
	switch {
	case in != nil && in.memory == level.Memory:
		r.endedLevel = nil // the sub-steps take the memory of those that have just ended, as in the next iteration of a loop
	case r.cache != nil && r.cache.memory == level.Memory:
		in = r.cache
		r.cache, in.root.child = in.root.child, nil
		r.cached--
	default:
		in = r.activation(level.Memory)
	}
	in.root.level = level
	return in
}

// Close gives back an activation from Open that wasn't entered.
func (f *Frame) Close(in *Activation) { f.fiber.run.release(in) }

// Activation returns the activation that the memory of the frame belongs to.
func (f *Frame) Activation() *Activation { return f.activation }

// Frame returns the frame of the level.
func (in *Activation) Frame() *Frame { return &in.root }

// Prepare marks an activation that is to be entered: CallFresh accepts the activation once.
func (in *Activation) Prepare() { in.root.fresh = true }

func (in *Activation) clear() {
	in.root.fresh = false
	if in.memory != nil && in.memory.Clear != nil {
		in.memory.Clear(in)
	}
}

// store gives a cleared activation back to its pool, unless its generation is retired. The new gen makes Refs into it stale.
func (in *Activation) store() {
	if in.root.gen.Add(1) < retired {
		in.memory.inner.Put(in)
	}
}

// Run.cache holds activations that were given back, the latest first. A turn after which the run waits empties the
// cache. The end of the run doesn't: the next run in the same memory uses it.
const (
	cacheSize = 1024 // how many activations the cache holds at most
	searched  = 4    // how many of them fromCache looks at
)

// release clears an activation whose level was left or never entered. An activation from a pool goes into the cache, or back
// into the pool if the cache is full.
func (r *Run) release(in *Activation) {
	in.clear()
	switch {
	case in.memory == nil: // its owner keeps it
	case r.cached == cacheSize:
		in.store()
	default:
		in.root.child, r.cache = r.cache, in
		r.cached++
	}
}

func (r *Run) activation(m *Memory) *Activation {
	if in := r.fromCache(m); in != nil {
		return in
	}
	return m.take()
}

func (r *Run) fromCache(m *Memory) *Activation {
	at := &r.cache
	for range searched {
		in := *at
		if in == nil {
			return nil
		}
		if in.memory == m {
			*at, in.root.child = in.root.child, nil
			r.cached--
			return in
		}
		at = &in.root.child
	}
	return nil
}

func (r *Run) emptyCache() {
	for in := r.cache; in != nil; in = r.cache {
		r.cache, in.root.child = in.root.child, nil
		in.store()
	}
	r.cached = 0
}
