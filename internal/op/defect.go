package op

import (
	"errors"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// Defect reports whether err is a defect of the program, such as a panic, runtime.Goexit in a body, or a broken rule. A Go
// error without a code isn't one, although fault.CodeOf returns InternalError for it.
func Defect(err error) bool {
	if fault.CodeOf(err) != fault.InternalError {
		return false
	}
	if _, panicked := errors.AsType[*fault.Panic](err); panicked || errors.Is(err, usercode.ErrGoexit) {
		return true
	}
	for {
		e, ok := err.(*fault.Error) //nolint:errorlint // one layer at a time: the innermost one has made the code
		if !ok {
			return errors.Is(err, fault.InternalError)
		}
		if e == nil || e.Cause == nil {
			return true
		}
		err = e.Cause
	}
}
