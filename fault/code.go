package fault

import "context"

// Code names a kind of failure. It is an error, so it can be returned as it is, wrapped with
// %w, and asked for with errors.Is; case matters. Programs add their own codes: any string, by
// convention one word in CamelCase.
//
// The zero Code stands for [InternalError].
type Code string

// Codes that the engine raises.
const (
	// Timeout: a step, with all that runs below it, or a run took longer than its limit.
	// errors.Is also matches context.DeadlineExceeded.
	//
	//spec:ftn12 §1.3
	Timeout Code = "Timeout"

	// InternalError: a defect of the program, such as a panic or a broken rule of the API. A Go
	// error that carries no code counts as InternalError as well, but is printed without the
	// code.
	//
	//spec:ftn12 §1, §2.1
	InternalError Code = "InternalError"

	// CutOff: a step that may finish when it is left took longer than the grace and was cancelled.
	// Such steps are a shield, the acquire or the release of a bracket, and the do or the undo of a
	// flow.Undo. The work of the step may be half done. The error with this code is secondary to
	// what leaves the step, and is reported to the loop and to observers.
	CutOff Code = "CutOff"

	// DefenseRejected: refused because a limit is reached, for example because the queue of a
	// guard is full. Trying again later may help.
	//
	//spec:ftn12 §1.11.6
	DefenseRejected Code = "DefenseRejected"

	// Cancelled: the run, or a part of it, was cancelled. FTN12 has no such code because there a
	// cancelled flow reports to nobody; in Go somebody may be waiting for the run.
	// errors.Is also matches context.Canceled.
	Cancelled Code = "Cancelled"
)

// Codes of remote calls (FTN3), for steps that make or serve them.
const (
	// ConnectError: no connection; the request was not sent. Raised by the
	// calling side.
	ConnectError Code = "ConnectError"

	// CommError: the connection failed after the request was sent and before
	// the response was complete, so the request may have taken effect. Raised
	// by the calling side.
	CommError Code = "CommError"

	// InvokerError: a defect on the calling side. A defect on the serving side is an
	// InternalError.
	InvokerError Code = "InvokerError"

	// InvalidRequest: the request is malformed or violates the interface. The engine raises it
	// for plans that can't be run, and for bad arguments.
	InvalidRequest Code = "InvalidRequest"

	// NotImplemented: the function exists in the interface but not here.
	NotImplemented Code = "NotImplemented"

	// UnknownInterface: the serving side does not know the interface.
	UnknownInterface Code = "UnknownInterface"

	// NotSupportedVersion: the serving side knows the interface, but not this version of it.
	NotSupportedVersion Code = "NotSupportedVersion"

	// Unauthorized: the caller is known, but is not allowed to do this.
	Unauthorized Code = "Unauthorized"

	// SecurityError: the credentials or the channel are not acceptable.
	SecurityError Code = "SecurityError"

	// PleaseReauth: the credentials have expired; authenticate and try again.
	PleaseReauth Code = "PleaseReauth"
)

// Codes that other FTN12 implementations use to leave a loop. In this library
// break and continue aren't errors. Don't raise them.
const (
	// LoopBreak leaves the loop.
	LoopBreak Code = "LoopBreak"

	// LoopCont goes on with the next iteration.
	LoopCont Code = "LoopCont"
)

// Error returns the code as a string.
func (c Code) Error() string { return string(c.known()) }

// Is reports whether target is the same code. Timeout also matches context.DeadlineExceeded, and
// Cancelled matches context.Canceled, so that code written for contexts understands both codes.
func (c Code) Is(target error) bool {
	switch t := target.(type) {
	case Code:
		return c.known() == t.known()
	default:
		return c == Timeout && target == context.DeadlineExceeded ||
			c == Cancelled && target == context.Canceled
	}
}

// known returns c, or InternalError if c is the zero Code.
func (c Code) known() Code {
	if c == "" {
		return InternalError
	}
	return c
}
