package engine

import (
	"errors"
	"os"
	"testing"
)

// Errors that package os names pass without being named by durable.Errors.
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
