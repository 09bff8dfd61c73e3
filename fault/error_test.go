package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

var errSoldOut = fault.New("SoldOut", "nothing left")

// raised returns the error of a run that has failed with declared.
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

// The details print a cause only if it says more than the error of the run, or names another place.
// The line prints a failure once, with each place.
func TestErrorRetold(t *testing.T) {
	made := func(change func(e *fault.Error)) *fault.Error {
		e := &fault.Error{Code: fault.Timeout, Info: "late", Path: "0/1", Name: "load", Cause: io.EOF}
		change(e)
		return e
	}
	alike := func(*fault.Error) {}
	odd := uncomparable{io.EOF}
	for _, tt := range []struct {
		cause   *fault.Error
		also    []error
		retold  bool
		because string
	}{
		{made(alike), nil, true, "the same step"},
		{made(alike), []error{io.EOF}, true, "the run's error has met more"},
		{made(func(e *fault.Error) { e.Secondary = []error{io.EOF} }), []error{io.EOF, odd}, true, "and the same before that"},
		{made(func(e *fault.Error) { e.Path, e.Name, e.Secondary = "", "", []error{io.EOF} }), []error{io.EOF}, true, "as handlers are given it"},
		{made(func(e *fault.Error) { e.Path = "0/2" }), nil, false, "another step"},
		{made(func(e *fault.Error) { e.Name = "store" }), nil, false, "another name"},
		{made(func(e *fault.Error) { e.Site = fault.Site{File: "a.go", Line: 1} }), nil, false, "another place"},
		{made(func(e *fault.Error) { e.Unwind = make([]fault.Frame, 1) }), nil, false, "it has left a run"},
		{made(func(e *fault.Error) { e.Record = make([]fault.Event, 1) }), nil, false, "it has a record"},
		{made(func(e *fault.Error) { e.Secondary = []error{io.EOF} }), nil, false, "it has met an error"},
		{made(func(e *fault.Error) { e.Secondary = []error{io.EOF} }), []error{io.ErrNoProgress}, false, "it has met another one"},
		{made(func(e *fault.Error) { e.Secondary = []error{odd} }), []error{odd}, false, "nobody can tell"},
	} {
		e := made(alike)
		e.Cause, e.Secondary = tt.cause, tt.also
		if line := e.Error(); strings.Count(line, "late") != 1 || !strings.Contains(line, "EOF") || !strings.Contains(line, e.Path) || !strings.Contains(line, tt.cause.Path) {
			t.Errorf("%s: want one failure, its cause and its places, got\n%s", tt.because, line)
		}
		for _, text := range []string{fmt.Sprintf("%+v", e), e.LogValue().String()} {
			if retold := strings.Count(text, "late") == 1; retold != tt.retold {
				t.Errorf("%s: want once %v, got\n%s", tt.because, tt.retold, text)
			}
			if !strings.Contains(text, "EOF") {
				t.Errorf("%s: the innermost cause is lost:\n%s", tt.because, text)
			}
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

	bare := fault.New("A", "")
	bare.Secondary = append(make([]error, 0, 2), io.EOF)
	_ = append(bare.Unwrap(), io.ErrClosedPipe)
	if bare.Secondary[:2][1] != nil {
		t.Error("appending to the slice wrote into the error's array")
	}
}

func TestUnwrapVisitsSecondaryOnce(t *testing.T) {
	cause, first, second := errors.New("cause"), &counted{}, &counted{}
	given := &fault.Error{Code: fault.InternalError, Cause: cause, Secondary: []error{first}}
	more := &fault.Error{Code: fault.InternalError, Cause: given, Secondary: []error{first, second}}
	result := &fault.Error{Code: fault.InternalError, Cause: more, Path: "0", Secondary: []error{first, second}}
	if errors.Is(result, errors.New("another")) {
		t.Error("found what isn't there")
	}
	if first.asked != 1 || second.asked != 1 {
		t.Errorf("visited %d and %d times, want once each", first.asked, second.asked)
	}
	if other := (&fault.Error{Cause: given, Secondary: []error{second}}); !errors.Is(other, second) || !errors.Is(other, first) {
		t.Error("secondary errors that the cause doesn't have are lost")
	}
}

type counted struct{ asked int }

func (*counted) Error() string { return "counted" }

func (c *counted) Is(error) bool { c.asked++; return false }
