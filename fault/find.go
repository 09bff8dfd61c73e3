package fault

import (
	"context"
	"iter"
)

// CodeOf returns the code of any error. It searches err and what err wraps, in the order of
// errors.Is, and returns the code of the first [*Error] or [Code]; or Timeout or Cancelled if
// it finds context.DeadlineExceeded or context.Canceled first. For every other error it
// returns InternalError, for nil "".
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

// InfoOf returns what err says to a person apart from its code: the Info of the first [*Error]
// in err. If there is none, it returns "" for a bare [Code] and for nil, and the text of err for
// any other error. Unlike the method Error it leaves out the causes of the *Error and the
// number of secondary errors. The state variable error_info is such a text.
//
//spec:ftn12 §1.7
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

// Is is [errors.Is] for errors of unknown origin. It looks at no more than a thousand errors,
// so that an error that wraps itself causes no endless loop. If a comparison, an Is method or
// an Unwrap method panics, the panic is caught and counts as "no match".
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

// AsType is [errors.AsType] with the safeguards of [Is]: it returns the first error of type E
// among err and what err wraps. A typed nil pointer that is found is returned as it is.
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

func answers(ask func() bool) (yes bool) {
	defer func() { _ = recover() }()
	return ask()
}

// carried returns the code of err itself and ignores what err wraps.
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

// first returns the first *Error in err's tree, nil if there is none.
func first(err error) *Error {
	for e := range tree(err) {
		if found, ok := e.(*Error); ok && found != nil {
			return found
		}
	}
	return nil
}

// maxNodes bounds a walk through the errors that an error wraps, so that an error that wraps
// itself can't block the event loop.
const maxNodes = 1000

// tree visits err and what it wraps in the order of errors.Is.
func tree(err error) iter.Seq[error] {
	return func(yield func(error) bool) {
		budget := maxNodes
		visit(err, &budget, yield)
	}
}

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

// unwrap returns the errors that err wraps, and none if Unwrap panics, as it
// does for a nil *fs.PathError.
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
