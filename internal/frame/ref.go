package frame

import "github.com/futoin-go/asyncsteps/fault"

// Ref names one step of one run for as long as that step lasts. Only code that
// runs on the run's loop may use it; a stale Ref is recognised even if the
// memory serves another run meanwhile.
type Ref struct {
	run   *Run
	frame *Frame
	epoch uint64 // of the frame
	uses  uint64 // the generations of the activation, in the upper half, and of the run
}

// Ref returns the Ref of the current step.
func (f *Frame) Ref() Ref {
	r := f.fiber.run
	return Ref{r, f, f.epoch, uint64(f.activation.root.gen.Load())<<32 | uint64(r.gen.Load())}
}

// Frame returns the frame of the step. It returns nil if the step has ended, or while its run calls code that belongs to no
// step, such as an observer. If the step has ended and the run hasn't, the step that is executing fails, because it used
// a scope that isn't its own (E7).
func (ref Ref) Frame() *Frame {
	if ref.Valid() && ref.run.doing != watching {
		return ref.frame
	}
	if r := ref.Run(); r != nil {
		if r = r.executing(); r != nil && r.cur != nil && r.cur.top != nil {
			r.violate(violation(r.cur.top, "used the scope of a step that has ended"))
		}
	}
	return nil
}

// Open is [Frame.Open] for the step, and marks the activation by Prepare. stamp is the Stamp of the step. Where Frame returns
// nil, Open does what Frame does and returns nil and 0.
func (ref Ref) Open(level *Level) (in *Activation, stamp uint64) {
	if !ref.Valid() || ref.run.doing == watching {
		ref.Frame()
		return nil, 0
	}
	in = ref.frame.Open(level)
	in.Prepare()
	return in, ref.frame.Stamp()
}

// Refuse returns err or, once the step has ended, the result of Err. Where Frame returns nil, Refuse does what Frame does.
func (ref Ref) Refuse(err error) error {
	if ref.Frame() == nil && !ref.Valid() {
		return ref.Err()
	}
	return err
}

// Valid reports whether the step still lasts.
func (ref Ref) Valid() bool {
	// The generations come first: the rest may be read only while the memory
	// still belongs to this run. A run that is over has no step that lasts.
	return ref.run != nil && ref.run.gen.Load() == uint32(ref.uses) && uint64(ref.frame.activation.root.gen.Load()) == ref.uses>>32 &&
		ref.frame.epoch == ref.epoch && ref.frame.bits&begun != 0
}

// Run returns the run, nil if it has ended or if ref is the zero Ref.
func (ref Ref) Run() *Run {
	if ref.run == nil || ref.run.gen.Load() != uint32(ref.uses) || ref.run.hasEnded {
		return nil
	}
	return ref.run
}

// Stamp identifies one call of the current step's body or handler among all calls in this process, as far as epochs do: it
// holds 60 bits of the epoch, and the first epochs of two frames are far apart, see serials. The lowest three bits are free.
func (f *Frame) Stamp() uint64 {
	stamp := f.epoch << 4
	if f.bits&handled != 0 {
		stamp |= 1 << 3
	}
	return stamp
}

// Stamp returns the Stamp of the step's frame; 0, which no step has, once the step has ended.
func (ref Ref) Stamp() uint64 {
	if !ref.Valid() {
		return 0
	}
	return ref.frame.Stamp()
}

// Err returns nil while the step lasts. It returns an error for the zero Ref, and if the step has ended.
func (ref Ref) Err() error {
	switch {
	case ref.run == nil:
		return &fault.Error{Code: fault.InternalError, Info: "the zero Scope belongs to no step"}
	case ref.Valid():
		return nil
	default:
		return &fault.Error{Code: fault.InternalError, Info: "the scope's step has ended"}
	}
}

// Invalid returns the error of a bad argument given to the step or, once the step has ended, the result of Err. Where Frame
// returns nil, Invalid does what Frame does.
func (ref Ref) Invalid(what string) error {
	if ref.Frame() == nil && !ref.Valid() {
		return ref.Err()
	}
	return invalid(ref.frame, what)
}

// Break records that the step broke the given rule: the step that is executing, as a rule the same one, fails when its code
// returns. Where Frame returns nil, Break only does what Frame does.
func (ref Ref) Break(rule string) {
	if f := ref.Frame(); f != nil {
		ref.run.violate(violation(f, rule))
	}
}
