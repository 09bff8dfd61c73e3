// Package primary searches the error of a run, but not the errors that are secondary to it.
package primary

import (
	"iter"

	"github.com/futoin-go/asyncsteps/fault"
)

// As returns the first error of type E among err and what it wraps. It passes over secondary errors: those of other branches,
// earlier attempts and cleanups don't tell what a run has failed with.
func As[E error](err error) (found E, ok bool) {
	for e := range chain(err) {
		if found, ok = e.(E); ok { //nolint:errorlint // chain walks
			return found, true
		}
	}
	return found, false
}

func chain(err error) iter.Seq[error] {
	return func(yield func(error) bool) { walk(err, yield) }
}

func walk(err error, yield func(error) bool) bool {
	for depth := 0; err != nil && depth < 1000; depth++ {
		if !yield(err) {
			return false
		}
		switch e := err.(type) { //nolint:errorlint // this is the walk
		case *fault.Error:
			err = e.Cause
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			for _, one := range e.Unwrap() {
				if !walk(one, yield) {
					return false
				}
			}
			return true
		default:
			return true
		}
	}
	return true
}
