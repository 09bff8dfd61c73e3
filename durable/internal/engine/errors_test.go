package engine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// unwillingError calls itself when it is asked whether it is another error.
type unwillingError func()

func (unwillingError) Error() string { return "unwilling" }

func (e unwillingError) Is(error) bool {
	e()
	return true
}

func TestCancelled(t *testing.T) {
	for _, tt := range []struct {
		reason string
		err    error
		want   bool
	}{
		{"it is", ErrCancelled, true},
		{"wrapped", fmt.Errorf("x: %w", ErrCancelled), true},
		{"another code", ErrNoRun, false},
		{"says so", unwillingError(func() {}), true},
		{"panics", unwillingError(func() { panic("no") }), false},
		{"exits", unwillingError(runtime.Goexit), false},
		{"exits behind the code", fault.Wrap(fault.InternalError, "", unwillingError(runtime.Goexit)), false},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			if got := Cancelled(tt.err); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestErrorsOfOS(t *testing.T) {
	var s Settings
	for _, err := range []error{
		os.ErrClosed, os.ErrDeadlineExceeded, os.ErrExist, os.ErrInvalid, os.ErrNoDeadline, os.ErrNoHandle, os.ErrNotExist, os.ErrPermission,
		os.ErrProcessDone,
	} {
		if far := s.Far(err.Error(), s.Wire(err)); !errors.Is(far, err) {
			t.Errorf("%v has become %v", err, far)
		}
	}
}
