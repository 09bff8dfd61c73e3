package retry

import (
	"errors"

	"github.com/futoin-go/asyncsteps/fault"
)

// permanent reports whether a policy without Codes and If doesn't try again after err.
func permanent(err error) bool {
	switch fault.CodeOf(err) {
	case fault.InternalError:
		return defect(err)
	case fault.Cancelled, fault.InvalidRequest, fault.NotImplemented, fault.UnknownInterface,
		fault.NotSupportedVersion, fault.Unauthorized, fault.SecurityError, fault.PleaseReauth:
		return true
	default:
		return false
	}
}

// defect reports whether err is a defect of the program, rather than a Go error that carries
// no code, for which fault.CodeOf returns InternalError too.
func defect(err error) bool {
	if _, panicked := errors.AsType[*fault.Panic](err); panicked {
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
