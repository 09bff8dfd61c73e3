package retry

import (
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/primary"
)

// lasting is an error that knows whether it would come again.
type lasting interface {
	error
	Permanent() bool
}

// Permanent reports whether a [Policy] without Codes and If doesn't try again after err, see Policy.Codes. It reports false for
// nil. Use it in a Policy.If that narrows that rule:
//
//	If: func(err error) bool { return !retry.Permanent(err) && !errors.Is(err, errBusy) }
//
// Any goroutine may call it.
func Permanent(err error) bool {
	if e, ok := primary.As[lasting](err); ok && e.Permanent() {
		return true
	}
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
