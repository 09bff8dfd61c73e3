// Package checks holds the checks of stepvet, each an analyzer of
// golang.org/x/tools/go/analysis, for multicheckers and linters of your own.
//
// They look at calls of the library: a function that is given to step.New, for
// example, is a body that runs on the loop. Functions are found where they are
// written in place or declared in the same package. What a body calls in other
// packages is known for the standard library only, except for Unrepeatable, which
// looks into all packages but that library. A check says nothing rather than guess.
package checks

import "golang.org/x/tools/go/analysis"

// All gives all checks, as a new slice.
func All() []*analysis.Analyzer {
	return []*analysis.Analyzer{DroppedNext, Blocking, SharedWrite, KeptScope, LeftLoop, LostLimit, Unrepeatable}
}
