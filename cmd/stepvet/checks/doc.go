// Package checks holds the checks of stepvet, each an analyzer of golang.org/x/tools/go/analysis, for multicheckers and linters of
// your own.
//
// They look at calls of the library: a function that is given to step.New, for example, is a body that runs on the loop. Functions
// are found if they are written in place, declared in the same package, or in a variable that holds no other. What a body calls in
// other packages is known only for the standard library, a few packages of golang.org/x/sync, and functions of this library that
// wait for a run; Unrepeatable also looks into other packages, but not into those of this library of which plans are made. A check
// stays silent rather than guess.
package checks

import "golang.org/x/tools/go/analysis"

// All returns all checks, as a new slice.
func All() []*analysis.Analyzer {
	return []*analysis.Analyzer{DroppedNext, Blocking, SharedWrite, KeptScope, LeftLoop, LostLimit, Unrepeatable}
}
