package retry

import (
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/op"
)

// permanent reports whether a policy without Codes and If doesn't try again after err.
func permanent(err error) bool {
	switch fault.CodeOf(err) {
	case fault.InternalError:
		return op.Defect(err)
	case fault.Cancelled, fault.InvalidRequest, fault.NotImplemented, fault.UnknownInterface,
		fault.NotSupportedVersion, fault.Unauthorized, fault.SecurityError, fault.PleaseReauth:
		return true
	default:
		return false
	}
}
