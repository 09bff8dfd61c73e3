package fault

import "slices"

// Error is one failure: what failed, why and where, and how the levels that the error passed have handled it.
//
// Make one with [New] or [Wrap]; the engine wraps it in another Error and fills Path, Name,
// Site, Unwind and Secondary there. The zero Error is an InternalError without further
// information.
//
//spec:ftn12 §1.7
type Error struct {
	// Code is the kind of the failure.
	Code Code

	// Info describes the failure to a person; it may be "". The state variable error_info
	// holds it.
	//
	//spec:ftn12 §1.7
	Info string

	// Cause is the error that this one wraps, or nil. In the error of a run, Cause is the error
	// that a step or handler returned, one that the engine made, or the cause of the cancel.
	Cause error

	// Path is the place in the plan of the step that failed, like
	// "0/par.1/2"; "" if no run has set it.
	Path string

	// Name is the name given to the step that failed, or else the name of the function that it
	// calls: "parse", "(*Store).Get", or "Orders:41" for a function literal in Orders. It is ""
	// if the step has neither.
	Name string

	// Site is where in the source the step that failed was built.
	Site Site

	// Unwind is the logical unwind: the levels that the error passed, from the failed step
	// outwards, with what each of them did with the error. The spec calls it async_stack.
	//
	//spec:ftn12 §1.7
	Unwind []Frame

	// Secondary holds other errors that belong to this one: for example those of parallel
	// siblings, of cancel hooks, cleanups and undos, and of earlier attempts of a retry.
	// errors.Is and errors.As look into Secondary after Cause; CodeOf ignores it.
	Secondary []error

	// Record holds the last events of the run, oldest first, if an observer has recorded them:
	// observe.Flight does. Only %+v prints it. errors.Is and errors.As don't see the errors in
	// it.
	Record []Event
}

// New makes an error to be declared as a package variable and returned from
// steps. info may be empty.
func New(code Code, info string) *Error {
	return &Error{Code: code.known(), Info: info}
}

// Wrap makes an error with the given code and info that wraps cause: errors.Is and
// errors.As still find cause. A nil cause is allowed: then nothing is wrapped.
func Wrap(code Code, info string, cause error) *Error {
	return &Error{Code: code.known(), Info: info, Cause: cause}
}

// Is reports whether target is the [Code] of e, or an error that this code matches, see
// [Code.Is]. Two *Error match only if they are the same pointer; errors.Is finds the declared
// error in the error of a run through Cause.
func (e *Error) Is(target error) bool {
	return e != nil && e.Code.Is(target)
}

// Unwrap returns Cause, if there is one, and then the Secondary errors, for errors.Is and
// errors.As. If Secondary begins with the Secondary errors of Cause, as in the error of a run that
// handlers have seen, those are left out, because errors.Is reaches them through Cause. The slice
// must not be changed.
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

// inherited returns how many Secondary errors Cause has, if e.Secondary begins with the same errors.
// Otherwise it returns 0.
func (e *Error) inherited() int {
	c, ok := e.Cause.(*Error)
	if !ok || c == nil || c == e || len(c.Secondary) > len(e.Secondary) ||
		!slices.EqualFunc(c.Secondary, e.Secondary[:len(c.Secondary)], same) {
		return 0
	}
	return len(c.Secondary)
}
