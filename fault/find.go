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

// Is is [errors.Is] for errors that somebody else has made: it looks at no more
// than a thousand errors, so that an error that wraps itself is no endless loop, and
// where a comparison, an Is or an Unwrap panics, the answer of that one is no.
func Is(err, target error) bool {
	if err == nil || target == nil {
		return err == target
	}
	for e := range tree(err) {
		if answers(func() bool { return e == target }) {
			return true
		}
		if own, ok := e.(interface{ Is(target error) bool }); ok && answers(func() bool { return own.Is(target) }) {
			return true
		}
	}
	return false
}

// AsType is [errors.AsType] with the bounds of [Is]: the first error of type E in
// err and what it wraps. A typed nil pointer that is found is given as it is.
func AsType[E error](err error) (found E, ok bool) {
	for e := range tree(err) {
		if found, ok = e.(E); ok {
			return found, true
		}
		if own, has := e.(interface{ As(target any) bool }); has && answers(func() bool { return own.As(&found) }) {
			return found, true
		}
	}
	return found, false
}

// answers gives the answer of somebody else's code; a panic is a no.
func answers(ask func() bool) (yes bool) {
	defer func() { _ = recover() }()
	return ask()
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
