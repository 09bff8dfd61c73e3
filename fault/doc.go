// Package fault defines the errors with which runs fail. An error has a code, names the step of the plan
// that failed, and lists the levels that it passed on its way out.
//
// # Codes first
//
// An error is identified by a [Code], a short word that travels between
// programs and languages unchanged. A Code is itself an error, so the usual
// question is
//
//	if errors.Is(err, fault.Timeout) { … }
//
// Errors of other packages have codes too: [CodeOf] returns one for every error.
//
// # Declaring and raising
//
// Declare the errors of a program once, as package variables, and return them:
//
//	var errSoldOut = fault.New("SoldOut", "nothing left in stock")
//
// Raising such an error allocates nothing while handlers inside the run deal
// with it. A run that fails ends with an error of its own, which knows the path
// and build site of the failed step and has the declared error as its Cause:
// errors.Is(err, errSoldOut) and errors.Is(err, fault.Code("SoldOut")) hold for
// it, err == errSoldOut does not. The same goes for errors that the engine makes: in the
// error of the run, errors.Is finds the error that a handler was given.
//
// # Printing
//
// Error and %v give one line. %+v gives the logical unwind: where the error was
// raised, how each level handled it, its causes, the errors met while unwinding,
// the last events of the run if they were recorded, and the Go stacks of panics.
// The Go stack at the time of the failure says little here, because an event loop
// calls the steps; the path in the plan and the build sites say what a stack trace
// says elsewhere.
//
// The package imports the standard library only and starts no goroutines. All
// its functions may be called from any goroutine. An [Error] must not be
// changed once it has been returned to somebody.
//
//spec:ftn12 §1.7
package fault
