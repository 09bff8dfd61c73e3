package plan

import "github.com/futoin-go/asyncsteps/internal/frame"

// Place is the place of a step in its run, for packages that only have its step.Scope.
type Place struct{ ref frame.Ref }

// PlaceOf makes a Place from the reference in a scope.
func PlaceOf(ref frame.Ref) Place { return Place{ref} }

// Ref returns the reference in the scope.
func (p Place) Ref() frame.Ref { return p.ref }

// Progress tells how far the stages of a stream are.
type Progress = frame.Progress

// StageProgress tells how far one stage of a stream is.
type StageProgress = frame.StageProgress

// Observed reports whether an observer is told of the step. Once the step has ended it returns false; like any use of the
// scope, the call breaks a rule then (E7).
func (p Place) Observed() bool {
	f := p.ref.Frame()
	return f != nil && f.Observed()
}

// Report tells the observer of the run how far the stages of the stream are that the step runs. Once
// the step has ended it tells nothing, and the call breaks a rule, as with Observed.
func (p Place) Report(progress *Progress) {
	if f := p.ref.Frame(); f != nil {
		f.ReportProgress(progress)
	}
}
