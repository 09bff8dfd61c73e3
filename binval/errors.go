package binval

import (
	"strconv"

	"github.com/futoin-go/asyncsteps/fault"
)

// Errors of values. Each error of this package is one of these, or wraps one and says more; all are fault.InvalidRequest. Use errors.Is.
var (
	// ErrKind: the value is of another kind, or there is none.
	ErrKind = fault.New(fault.InvalidRequest, "wrong kind of value")
	// ErrRange: the number can't be converted to the wanted type without loss, or a bool is
	// neither 0 nor 1.
	ErrRange = fault.New(fault.InvalidRequest, "number out of range")
	// ErrEncoding: the string is not valid in its encoding.
	ErrEncoding = fault.New(fault.InvalidRequest, "invalid Unicode")
	// ErrLength: the length doesn't agree with the memory. It exceeds the memory, or is given
	// with a nil pointer, or isn't where the string is terminated, or is beyond the 32 bits of
	// the interface.
	ErrLength = fault.New(fault.InvalidRequest, "wrong length")
	// ErrFlags: the type of the value has flags that the spec doesn't define, such as those of
	// an array of custom objects.
	ErrFlags = fault.New(fault.InvalidRequest, "unknown type flags")
	// ErrPointer: a pointer in the value isn't plausible, for example because it isn't aligned.
	ErrPointer = fault.New(fault.InvalidRequest, "invalid pointer")
	// ErrStale: the value was made here, and a copy of it has been reset or taken, or the value was
	// damaged.
	ErrStale = fault.New(fault.InvalidRequest, "value is not held any more")
	// ErrUnlinked: the value was made in C and this program can't call C,
	// because package binval/cabi is not in it, or hasn't called [Link] yet.
	ErrUnlinked = fault.New(fault.InvalidRequest, "cleanup needs package binval/cabi")
	// ErrField: a [Codec] was built with a nil accessor, or one returned nil.
	ErrField = fault.New(fault.InvalidRequest, "codec field without accessor")
)

func wrong(why *fault.Error, info string) error {
	return fault.Wrap(fault.InvalidRequest, info, why)
}

func mismatch(have, want Flags) error {
	return wrong(ErrKind, have.String()+" as "+want.String())
}

func argument(i int, err error) error {
	return fault.Wrap(fault.InvalidRequest, "argument "+strconv.Itoa(i), err)
}
