package frame

import (
	"errors"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// Guest is the owner of a run whose end a step of another run waits for.
type Guest interface {
	Owner

	// Within returns the frame whose current step waits for the run. Unless the run is a part, see [Linger], the frame
	// stays where it is meanwhile, so that other goroutines may read its path.
	Within() *Frame

	// Attempt returns the number of the attempt that the run is part of, of the nearest retry around the waiting step,
	// and how many there may be, see [Attempts]. Both are 0 if there is no retry. The goroutine of the run's loop calls
	// it.
	Attempt() (n, most int)

	// Grace returns the grace that is set around the waiting step; set is false if none is. The goroutine
	// of the run's loop calls it.
	Grace() (d time.Duration, set bool)
}

// Around holds what a run on another loop has to know about the step that waits for it. The Around is made on the loop of that
// step. A part gets one when its step is left. Around implements two methods of a [Guest].
type Around struct {
	attempt, attempts int
	grace             time.Duration
	graced            bool // grace is set
}

// Around returns the attempt and the grace around the current step of f, for a run that the step waits for.
func (f *Frame) Around() Around {
	var a Around
	a.attempt, a.attempts = f.Attempt()
	a.grace, a.graced = f.graceAround()
	return a
}

// Attempt returns the attempt that was under way when the Around was made, see [Guest].
func (a Around) Attempt() (n, most int) { return a.attempt, a.attempts }

// Grace returns the grace around the step, see [Guest].
func (a Around) Grace() (d time.Duration, set bool) { return a.grace, a.graced }

// within returns the frame whose step waits for the end of r; nil if there is none.
func (r *Run) within() *Frame {
	if g, ok := r.owner.(Guest); ok {
		return g.Within()
	}
	return nil
}

// inner is the error of a run that a step of another run waits for. It is raised at that step
// as if it had been raised by a sub-step.
type inner struct {
	run  *fault.Error
	part bool // the run was a part, so the state of the run around it has shown the error already
}

// Within wraps err, the error of a run, for the step that waits for the run. That step passes the result to [Frame.Fail].
// part is true if the run was a part, see [Linger].
func Within(err error, part bool) error {
	if e, ok := err.(*fault.Error); ok && len(e.Unwind) > 0 {
		return inner{e, part}
	}
	return err // it has no list of passed levels
}

// Error implements error.
func (e inner) Error() string { return e.run.Error() }

// outside returns err without the wrapper that Within has put around it.
func outside(err error) error {
	if e, ok := err.(inner); ok {
		return e.run
	}
	return err
}

// Late returns what to keep of err, the error of a run that was cancelled because the step that waits for it is left. If the
// code of err is Cancelled, the result is the errors that were met while the run was left, nil if there were none; otherwise
// the result is err.
func Late(err error) error {
	e, ok := err.(*fault.Error)
	switch {
	case !ok || e.Code != fault.Cancelled:
		return err
	case len(e.Secondary) == 1:
		return e.Secondary[0]
	default:
		return errors.Join(e.Secondary...)
	}
}

// raisedWithin prepares s for err. If err is the error of another run, the levels that it has passed there and its
// secondary errors are kept for the report. raisedWithin returns the error that handlers are given, and whether the
// state of s's run has shown that error already.
func (s *Fiber) raisedWithin(err error) (raised error, known bool) {
	if e, ok := err.(inner); ok {
		return s.raisedInside(e), e.part
	}
	return err, false
}

func (s *Fiber) raisedInside(e inner) error {
	s.trail.inner = e.run
	s.trail.also(e.run.Secondary...)
	if cause := e.run.Cause; cause != nil && e.run.Code != fault.Cancelled && e.run.Code == fault.CodeOf(cause) {
		return cause
	}
	return e.run
}

// inside adds the levels of t.inner, the error of another run, to e before any others. If raised is true, no handler has
// replaced the error on the way, and e gets the place where the other run raised it.
func (t *trail) inside(e *fault.Error, raised bool) {
	in := t.inner
	e.Unwind = append(e.Unwind, in.Unwind...)
	if raised {
		e.Path, e.Name, e.Site = in.Path, in.Name, in.Site
	}
	e.Record = in.Record
}

// around appends the result of pathAround to segments, unless it is empty.
func (r *Run) around(segments []string) []string {
	if around := r.pathAround(); around != "" {
		segments = append(segments, around)
	}
	return segments
}

// pathAround returns the path of the step that waits for the end of r or has waited until it was left; the empty string if
// there is none.
func (r *Run) pathAround() string {
	if l := r.lingers(); l != nil {
		return l.path()
	}
	if f := r.within(); f != nil {
		return f.Path()
	}
	return ""
}
