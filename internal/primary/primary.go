// Package primary searches the error of a run and what it wraps, but passes over secondary errors.
package primary

import (
	"iter"

	"github.com/futoin-go/asyncsteps/fault"
)

// As returns the first error of type E among err and what it wraps. It passes over secondary errors: errors of other branches,
// earlier attempts and cleanups don't tell what a run has failed with.
func As[E error](err error) (found E, ok bool) {
	for e := range chain(err) {
		if found, ok = e.(E); ok { //nolint:errorlint // chain walks
			return found, true
		}
	}
	return found, false
}

// Is reports whether target is err or an error that err wraps, without secondary errors. It compares by ==, and calls no method
// Is. The type of target must be comparable.
func Is(err, target error) bool {
	for e := range chain(err) {
		if e == target { //nolint:errorlint // chain walks
			return true
		}
	}
	return false
}

// most bounds a walk, so that an error that wraps itself causes no endless loop.
const most = 1000

func chain(err error) iter.Seq[error] {
	return func(yield func(error) bool) {
		budget := most
		walk(err, &budget, yield)
	}
}

func walk(err error, budget *int, yield func(error) bool) bool {
	for err != nil {
		if *budget--; *budget < 0 || !yield(err) {
			return false
		}
		several, next := unwrap(err)
		for _, one := range several {
			if !walk(one, budget, yield) {
				return false
			}
		}
		err = next
	}
	return true
}

// unwrap returns the errors that err wraps, and none if Unwrap panics.
func unwrap(err error) (several []error, one error) {
	defer func() { _ = recover() }()
	switch e := err.(type) { //nolint:errorlint // this is the walk
	case *fault.Error:
		return nil, e.Cause
	case interface{ Unwrap() error }:
		return nil, e.Unwrap()
	case interface{ Unwrap() []error }:
		return e.Unwrap(), nil
	default:
		return nil, nil
	}
}
