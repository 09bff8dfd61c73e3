package frame

import "time"

// Outwards visits the levels around f, across forks, until visit reports false. If the run is a part of another run, Outwards
// goes on with the step that waits for the part, unless that step was left (P10).
func (f *Frame) Outwards(visit func(*Frame) bool) {
	for s := f.fiber; ; s = f.fiber {
		for f = f.outer; f != nil; f = f.outer {
			if !visit(f) {
				return
			}
		}
		if p := s.parent(); p != nil {
			f = p.top
		} else if l := s.run.lingers(); l != nil && l.frame != nil {
			f = l.frame
		} else {
			return
		}
		if !visit(f) {
			return
		}
	}
}

// flow returns the fiber that guards take for the flow of s. A branch of a shield isn't a flow of its own, because the fiber
// that holds the shield only waits for the branch.
func (s *Fiber) flow() *Fiber {
	for s.fork != nil && s.fork.Shields {
		s = s.fork.holder
	}
	return s
}

// Attempts is implemented by the op of a [Level] whose field Attempts is set. The op runs one attempt of a retry.
type Attempts interface {
	// Attempt returns the number of the attempt that the step of f is, from 1, and how many there may be. most is 0 if there is
	// no limit.
	Attempt(f *Frame) (n, most int)

	// Retry returns the place where the op keeps the first [Attempt] of its retry; it holds nil until that Attempt is made. The
	// op of the frame around f, a [Holder], ends the Attempt in Release.
	Retry(f *Frame) **Attempt
}

// Attempt returns the number of the current attempt of the nearest retry, of f itself or around it, and how many there
// may be, 0 for no limit. Without a retry both are 0.
func (f *Frame) Attempt() (n, most int) {
	for s := f.fiber; ; s = s.parent() {
		for ; f != nil; f = f.outer {
			if f.level.Attempts {
				return f.Op().(Attempts).Attempt(f)
			}
		}
		if s.parent() == nil {
			return s.run.attempt()
		}
		f = s.parent().top // its current step is the fork
	}
}

// attempt returns the result of Attempt for the step of another run that waits for the end of r; 0 and 0 if there is none.
func (r *Run) attempt() (n, most int) {
	if g, ok := r.owner.(Guest); ok {
		return g.Attempt()
	}
	return 0, 0
}

// A Gracer is an op that may set the grace for everything inside its step. Grace reports false if the op sets none.
type Gracer interface{ Grace() (time.Duration, bool) }

// grace returns how long the current step of f may take to end when it is to be left: own if that isn't zero, otherwise
// the grace of the nearest Gracer around, otherwise that of the loop. A negative grace has no limit.
func (f *Frame) grace(own time.Duration) time.Duration {
	if own != 0 {
		return own
	}
	if d, set := f.graceAround(); set {
		return d
	}
	return f.Run().Host().Grace()
}

// graceAround returns the grace of the nearest Gracer around the current step of f. A Gracer whose handler is used up doesn't
// count. The Gracer may be in another run, around the step that waits for the end of this run. set is false if there is none.
func (f *Frame) graceAround() (d time.Duration, set bool) {
	s := f.fiber
	if s.mode != running && s.graced.known && f.depth > s.graced.depth {
		return s.graced.d, s.graced.set
	}
	depth := int32(-1) // of the Gracer, if it is in this run
	f.Outwards(func(o *Frame) bool {
		if g, ok := o.Op().(Gracer); ok && !o.Handled() {
			if d, set = g.Grace(); set && o.fiber.run == s.run {
				depth = o.depth
			}
		}
		return !set
	})
	if g, ok := s.run.owner.(Guest); ok && !set {
		d, set = g.Grace()
	}
	if s.mode != running {
		s.graced = gracedBy{d: d, set: set, known: true, depth: depth}
	}
	return d, set
}

// gracedBy caches the result of graceAround for a fiber that leaves levels. It is valid for levels inside of the Gracer.
type gracedBy struct {
	d          time.Duration
	set, known bool
	depth      int32 // of the Gracer; -1 if it is in no level of this run
}
