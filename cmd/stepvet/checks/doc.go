// Package checks holds the checks of stepvet, each an analyzer of golang.org/x/tools/go/analysis, for multicheckers and linters of
// your own.
//
// They look at calls of the library: a function that is given to step.New, for example, is a body that runs on the loop. Functions
// are found if they are written in place, declared in the same package, or in a variable that is assigned only once. Of the
// functions that a body calls in other packages, the checks know those of the standard library, of a few packages of
// golang.org/x/sync, and those of this library that wait for a run. [Unrepeatable] also looks into other packages, except those of
// this library that plans are made of. A check stays silent rather than guess.
package checks

import "golang.org/x/tools/go/analysis"

// All returns all checks, as a new slice.
func All() []*analysis.Analyzer {
	return []*analysis.Analyzer{DroppedNext, Blocking, SharedWrite, KeptScope, LeftLoop, LostLimit, Unrepeatable}
}
