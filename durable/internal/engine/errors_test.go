package engine

import (
	"errors"
	"os"
	"testing"
)

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
