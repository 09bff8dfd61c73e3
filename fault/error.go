package fault

import "slices"

// Error is one failure: what, why, where, and what became of it on its way out.
//
// Make one with [New] or [Wrap]; the engine fills Path, Name, Site, Unwind and
// Secondary, in errors of its own around it. The zero Error is an InternalError that says
// nothing more. FTN12 §1.7.
type Error struct {
	// Code says what kind of failure it is.
	Code Code

	// Info describes it to a person (error_info of FTN12 §1.7); "" is none.
	Info string

	// Cause is the error this one wraps; nil is none. On the error of a run it is
	// the error that the step returned, or that the engine has made for it and
	// given to handlers.
	Cause error

	// Path is the place in the plan of the step that failed, like
	// "0/par.1/2"; "" on an error that no run has raised.
	Path string

	// Name is the name given to that step, or else the function that it calls:
	// "parse", "(*Store).Get", or "Orders:41" for a function without a name in Orders;
	// "" is none.
	Name string

	// Site is where in the source that step was built.
	Site Site

	// Unwind is the logical unwind: which levels the error passed, from the
	// failed step outwards, and what each did with it (async_stack of
	// FTN12 §1.7).
	Unwind []Frame

	// Secondary holds the errors met while this one unwound: of parallel
	// siblings, cancel hooks and cleanups, in the order they happened; then those
	// that earlier attempts of a retry have failed with.
	// errors.Is and errors.As see them, after Cause; CodeOf does not.
	Secondary []error

	// Record is what had happened in the run last, oldest first, if somebody
	// has kept it: observe.Flight does. %+v prints it, and nothing else looks at
	// it: errors.Is and errors.As don't see the errors in it.
	Record []Event
}

// New makes an error to be declared as a package variable and returned from
// steps. An empty info says nothing beyond the code.
func New(code Code, info string) *Error {
	return &Error{Code: code.known(), Info: info}
}

// Wrap makes an error with a code of its own out of cause, which errors.Is and
// errors.As still reach. A nil cause is allowed and wraps nothing.
func Wrap(code Code, info string, cause error) *Error {
	return &Error{Code: code.known(), Info: info, Cause: cause}
}

// Is tells errors.Is which errors this one is: its [Code], and what its code
// is, see [Code.Is]. Two *Error are the same only if they are the same pointer;
// the error of a run reaches the declared one through Cause.
func (e *Error) Is(target error) bool {
	return e != nil && e.Code.Is(target)
}

// Unwrap gives Cause, then Secondary, to errors.Is and errors.As. Those that
// Secondary of Cause begins with, as in the error of a run that handlers have seen,
// are left to Cause, so that each is visited once. What is appended to the result doesn't get into
// the error.
func (e *Error) Unwrap() []error {
	switch {
	case e == nil:
		return nil
	case e.Cause == nil:
		return slices.Clip(e.Secondary)
	default:
		return append([]error{e.Cause}, e.Secondary[e.inherited():]...)
	}
}

// inherited is how many errors of Secondary those of Cause are; 0 if Cause has others.
func (e *Error) inherited() int {
	c, ok := e.Cause.(*Error)
	if !ok || c == nil || c == e || len(c.Secondary) > len(e.Secondary) ||
		!slices.EqualFunc(c.Secondary, e.Secondary[:len(c.Secondary)], same) {
		return 0
	}
	return len(c.Secondary)
}
