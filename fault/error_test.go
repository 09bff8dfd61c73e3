package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

var errSoldOut = fault.New("SoldOut", "nothing left")

// raised is what a run makes of a declared error.
func raised(declared *fault.Error) *fault.Error {
	return &fault.Error{
		Code:  declared.Code,
		Info:  declared.Info,
		Cause: declared,
		Path:  "0/par.1",
	}
}

func TestIs(t *testing.T) {
	aborted := fault.New("Aborted", "")
	aborted.Secondary = []error{fmt.Errorf("closing: %w", io.ErrClosedPipe), fault.CommError}

	for _, tt := range []struct {
		err, target error
		want        bool
		reason      string
	}{
		{fault.Timeout, fault.Timeout, true, "a code is itself"},
		{fault.Timeout, fault.Cancelled, false, "codes differ"},
		{fault.Timeout, context.DeadlineExceeded, true, "a bare code is translated too"},
		{fault.Cancelled, context.Canceled, true, "a bare code is translated too"},
		{fault.Timeout, context.Canceled, false, "a deadline is not a cancel"},
		{fault.Code(""), fault.InternalError, true, "the zero code stands for InternalError"},
		{fault.InternalError, fault.Code(""), true, "whichever side it is on"},

		{errSoldOut, fault.Code("SoldOut"), true, "an error is its code"},
		{errSoldOut, fault.Timeout, false, "and no other"},
		{new(fault.Error), fault.InternalError, true, "the zero Error is an InternalError"},
		{fault.New(fault.Timeout, ""), context.DeadlineExceeded, true, "Timeout is a deadline"},
		{fault.New(fault.Cancelled, ""), context.Canceled, true, "Cancelled is a cancel"},
		{fault.New("timeout", ""), context.DeadlineExceeded, false, "case matters"},

		{errSoldOut, fault.New("SoldOut", "nothing left"), false, "errors are the same by identity only"},
		{raised(errSoldOut), errSoldOut, true, "a raised copy reaches the declared error"},
		{raised(errSoldOut), fault.Code("SoldOut"), true, "and its code"},
		{errSoldOut, raised(errSoldOut), false, "but not the reverse"},

		{fault.Wrap(fault.CommError, "", io.EOF), io.EOF, true, "the cause is reached"},
		{fault.Wrap(fault.CommError, "", nil), io.EOF, false, "a nil cause wraps nothing"},
		{fmt.Errorf("a: %w", errSoldOut), fault.Code("SoldOut"), true, "through fmt.Errorf"},
		{errors.Join(io.EOF, errSoldOut), fault.Code("SoldOut"), true, "through errors.Join"},
		{fault.Wrap("A", "", errors.Join(io.EOF, fmt.Errorf("b: %w", fault.Timeout))), context.DeadlineExceeded, true, "through everything"},
		{aborted, io.ErrClosedPipe, true, "P3: secondary errors are not lost"},
		{aborted, fault.CommError, true, "P3: none of them"},
		{(*fault.Error)(nil), fault.InternalError, false, "a nil *Error is nothing"},
	} {
		if got := errors.Is(tt.err, tt.target); got != tt.want {
			t.Errorf("errors.Is(%v, %v) = %v, want %v: %s", tt.err, tt.target, got, tt.want, tt.reason)
		}
	}
}

func TestAs(t *testing.T) {
	missing := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	err := fmt.Errorf("load: %w", errors.Join(io.EOF, fault.Wrap("NoConfig", "", missing)))

	if e, ok := errors.AsType[*fault.Error](err); !ok || e.Code != "NoConfig" {
		t.Errorf("found %v, want the NoConfig error below a wrapped join", e)
	}
	if e, ok := errors.AsType[*fs.PathError](err); !ok || e != missing {
		t.Errorf("found %v, want the error wrapped by an *Error", e)
	}

	boom := errors.New("boom")
	err = fault.Wrap(fault.InternalError, "", &fault.Panic{Value: boom})
	if p, ok := errors.AsType[*fault.Panic](err); !ok || p.Value != boom {
		t.Errorf("found %v, want the panic", p)
	}
	if !errors.Is(err, boom) {
		t.Error("E4: an error given to panic is not reached")
	}
}

func TestUnwrap(t *testing.T) {
	err := fault.Wrap("A", "", io.EOF)
	err.Secondary = []error{io.ErrClosedPipe}

	got := err.Unwrap()
	if len(got) != 2 || got[0] != io.EOF || got[1] != io.ErrClosedPipe {
		t.Errorf("got %v, want the cause, then the secondary errors", got)
	}
	got[1] = nil
	if err.Secondary[0] == nil {
		t.Error("changing the slice changed the error")
	}
}
