package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

func TestCodeOfAndInfoOf(t *testing.T) {
	rejected := fault.New(fault.DefenseRejected, "queue is full")
	aborted := fault.Wrap("", "", nil)
	aborted.Secondary = []error{rejected}

	for _, tt := range []struct {
		err    error
		code   fault.Code
		info   string
		reason string
	}{
		{nil, "", "", "no error, no code"},
		{io.EOF, fault.InternalError, "EOF", "E6: a Go error without a code; its text is all there is"},
		{fmt.Errorf("read: %w", io.EOF), fault.InternalError, "read: EOF", "E6: the same when wrapped"},
		{fault.Timeout, fault.Timeout, "", "a bare code has no info"},
		{fault.Code(""), fault.InternalError, "", "the zero code"},
		{new(fault.Error), fault.InternalError, "", "the zero Error"},
		{rejected, fault.DefenseRejected, "queue is full", "an error's own"},
		{fmt.Errorf("a: %w", rejected), fault.DefenseRejected, "queue is full", "found below"},
		{fmt.Errorf("a: %w", fault.Timeout), fault.Timeout, "a: Timeout", "a wrapped code comes with a text"},
		{fault.Wrap(fault.CommError, "", rejected), fault.CommError, "", "E3: the outermost error decides, even without info"},
		{context.DeadlineExceeded, fault.Timeout, "context deadline exceeded", "contexts are translated"},
		{context.Canceled, fault.Cancelled, "context canceled", "contexts are translated"},
		{fmt.Errorf("get: %w", context.DeadlineExceeded), fault.Timeout, "get: context deadline exceeded", "below a wrapper too"},
		{errors.Join(context.Canceled, rejected), fault.Cancelled, "queue is full", "the first that carries a code decides it"},
		{errors.Join(io.EOF, rejected), fault.DefenseRejected, "queue is full", "an error without a code is passed over"},
		{aborted, fault.InternalError, "", "P3: secondary errors decide nothing"},
		{&fault.Panic{Value: rejected}, fault.DefenseRejected, "queue is full", "a panic wraps the error it was given"},
		{(*fault.Error)(nil), fault.InternalError, "nil *fault.Error", "an interface that holds a nil *Error is an error without a code"},
		{(*typed)(nil), fault.InternalError, "nil *fault_test.typed", "and so is a nil pointer of any other type"},
		{uncomparable{io.EOF}, fault.InternalError, "EOF", "error types that can't be compared are no problem"},
	} {
		if got := fault.CodeOf(tt.err); got != tt.code {
			t.Errorf("CodeOf(%#v) = %q, want %q: %s", tt.err, got, tt.code, tt.reason)
		}
		if got := fault.InfoOf(tt.err); got != tt.info {
			t.Errorf("InfoOf(%#v) = %q, want %q: %s", tt.err, got, tt.info, tt.reason)
		}
	}
}

// typed is an error whose Error method panics for a nil pointer.
type typed struct{ text string }

func (e *typed) Error() string { return e.text }

type uncomparable []error

func (u uncomparable) Error() string { return u[0].Error() }

// These functions return for errors that wrap themselves; errors.Is may not.
func TestCyclesEnd(t *testing.T) {
	a, b := fault.New("", "a"), fault.New("B", "b")
	a.Cause, b.Cause = b, a
	a.Secondary = []error{b, b}
	b.Secondary = []error{a, a}
	_ = a.Error()
	_ = fmt.Sprintf("%+v", a)
	_ = a.LogValue()

	loop := &self{}
	loop.err = loop
	if got := fault.CodeOf(loop); got != fault.InternalError {
		t.Errorf("CodeOf = %q", got)
	}
	same := fault.New("A", "same code")
	same.Cause = same
	_ = same.Error()
}

type self struct{ err error }

func (*self) Error() string   { return "self" }
func (s *self) Unwrap() error { return s.err }

func TestAllocs(t *testing.T) {
	wrapped := fmt.Errorf("a: %w", errors.Join(io.EOF, errSoldOut))
	for name, f := range map[string]func(){
		"CodeOf an *Error":      func() { fault.CodeOf(errSoldOut) },
		"InfoOf an *Error":      func() { fault.InfoOf(errSoldOut) },
		"CodeOf a Code":         func() { fault.CodeOf(fault.Timeout) },
		"CodeOf a wrapped one":  func() { fault.CodeOf(wrapped) },
		"errors.Is with a Code": func() { _ = errors.Is(errSoldOut, fault.Code("SoldOut")) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
}

type own struct {
	error
	is   func(error) bool
	next func() error
	as   func(any) bool
}

func (o own) Is(target error) bool { return o.is != nil && o.is(target) }
func (o own) As(target any) bool   { return o.as != nil && o.as(target) }
func (o own) Unwrap() error {
	if o.next == nil {
		return nil
	}
	return o.next()
}

// Is and AsType give the results of errors.Is and errors.As, and return even
// where these hang or panic.
func TestIsAndAsType(t *testing.T) {
	declared := fault.New("B", "b")
	itself := fault.New("C", "c")
	itself.Cause = itself
	var me own
	me = own{error: io.EOF, next: func() error { return me }}
	same := uncomparable{io.EOF}
	breaks := func() error { panic("boom") }
	for _, tt := range []struct {
		reason      string
		err, target error
		is          bool
	}{
		{"nil is nil", nil, nil, true},
		{"nil is no error", nil, io.EOF, false},
		{"no error is nil", io.EOF, nil, false},
		{"itself", io.EOF, io.EOF, true},
		{"wrapped", fmt.Errorf("a: %w", errors.Join(io.ErrNoProgress, declared)), declared, true},
		{"by a method", fault.Timeout, context.DeadlineExceeded, true},
		{"another", declared, io.EOF, false},
		{"it wraps itself, as one of several", itself, io.EOF, false},
		{"it wraps itself", me, io.ErrNoProgress, false},
		{"the types can't be compared", same, same, false},
		{"Is panics", own{error: io.EOF, is: func(error) bool { return breaks() == nil }}, io.EOF, false},
		{"Is panics, below another says yes", own{error: io.EOF, is: func(error) bool { return breaks() == nil }, next: func() error { return declared }}, declared, true},
		{"Unwrap panics", own{error: io.EOF, next: breaks}, declared, false},
		{"a typed nil", (*typed)(nil), io.EOF, false},
		{"a nil *Error", (*fault.Error)(nil), fault.InternalError, false},
	} {
		if got := fault.Is(tt.err, tt.target); got != tt.is {
			t.Errorf("Is: %v: %s", got, tt.reason)
		}
	}
	for _, tt := range []struct {
		reason string
		err    error
		found  *fault.Error
		ok     bool
	}{
		{"nil", nil, nil, false},
		{"wrapped", fmt.Errorf("a: %w", declared), declared, true},
		{"by a method", own{error: io.EOF, as: func(target any) bool { *target.(**fault.Error) = declared; return true }}, declared, true},
		{"As panics", own{error: io.EOF, as: func(any) bool { panic("boom") }, next: func() error { return declared }}, declared, true},
		{"it wraps itself", me, nil, false},
		{"a typed nil", fmt.Errorf("a: %w", (*fault.Error)(nil)), nil, true},
	} {
		if got, ok := fault.AsType[*fault.Error](tt.err); got != tt.found || ok != tt.ok {
			t.Errorf("AsType: %v, %v: %s", got, ok, tt.reason)
		}
	}
}
