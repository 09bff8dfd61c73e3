package fault

import (
	"context"
	"iter"
)

// CodeOf is the code of any error: of the first [*Error] or [Code] found in err
// and what it wraps, in the order of errors.Is; Timeout for
// context.DeadlineExceeded and Cancelled for context.Canceled found first;
// InternalError for every other error; "" for nil.
//
// Secondary errors never decide the code.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	for e := range tree(err) {
		if code, ok := carried(e); ok {
			return code
		}
	}
	return InternalError
}

// InfoOf is what an error has to say to a person beyond its code: Info of the
// first [*Error] in err, "" for a bare [Code] and for nil, the text of err if it
// wraps no *Error. It is what state calls error_info (FTN12 §1.7).
func InfoOf(err error) string {
	if err == nil {
		return ""
	}
	if _, bare := err.(Code); bare {
		return ""
	}
	if e := first(err); e != nil {
		return e.Info
	}
	return text(err)
}

// carried is the code that err itself carries, whatever it wraps.
func carried(err error) (Code, bool) {
	switch e := err.(type) {
	case *Error:
		if e != nil {
			return e.Code.known(), true
		}
	case Code:
		return e.known(), true
	}
	switch err {
	case context.DeadlineExceeded:
		return Timeout, true
	case context.Canceled:
		return Cancelled, true
	}
	return "", false
}

// first is the first *Error in err's tree, nil if there is none.
func first(err error) *Error {
	for e := range tree(err) {
		if found, ok := e.(*Error); ok && found != nil {
			return found
		}
	}
	return nil
}

// maxNodes bounds every walk through what an error wraps. Nobody reads that
// far, and an error that somebody made wrap itself must not hang the loop.
const maxNodes = 1000

// tree visits err and what it wraps in the order of errors.Is.
func tree(err error) iter.Seq[error] {
	return func(yield func(error) bool) {
		budget := maxNodes
		visit(err, &budget, yield)
	}
}

// visit reports whether the walk goes on.
func visit(err error, budget *int, yield func(error) bool) bool {
	for err != nil {
		if *budget--; *budget < 0 || !yield(err) {
			return false
		}
		several, next := unwrap(err)
		for _, branch := range several {
			if !visit(branch, budget, yield) {
				return false
			}
		}
		err = next
	}
	return true
}

// unwrap is what err wraps: several errors, or one. An Unwrap that panics, as that
// of a nil *fs.PathError does, wraps nothing: a failure must not turn into
// another one by being looked at.
func unwrap(err error) (several []error, one error) {
	defer func() { _ = recover() }()
	switch u := err.(type) {
	case interface{ Unwrap() error }:
		return nil, u.Unwrap()
	case interface{ Unwrap() []error }:
		return u.Unwrap(), nil
	default:
		return nil, nil
	}
}
