package durable

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.temporal.io/sdk/temporal"

	"github.com/futoin-go/asyncsteps/fault"
)

// namedError is an error with the name under which processes exchange it.
type namedError struct {
	name string
	err  error
}

// Errors gives names to errors, so that errors.Is finds them on the other side of a process boundary: in the plan if a
// body has returned one, and in [Run.Wait] if the run has ended with one. Codes of package fault pass
// by themselves, and a fault.Panic with the text of its value and its stack; all other errors pass as text.
func Errors(named map[string]error) Option {
	return func(s *settings) {
		for _, name := range slices.Sorted(maps.Keys(named)) {
			if named[name] == nil {
				s.refuse("durable.Errors: the error " + name + " is nil")
				continue
			}
			s.named = append(s.named, namedError{name, named[name]})
		}
	}
}

// wire is the form in which an error passes between processes.
type wire struct {
	Code  fault.Code `json:"code,omitempty"`
	Info  string     `json:"info,omitempty"`
	Names []string   `json:"names,omitempty"` // of errors given to Errors
	Panic *wirePanic `json:"panic,omitempty"`
}

// wirePanic is a fault.Panic: the text of its value, and its stack.
type wirePanic struct {
	Value string `json:"value"`
	Stack string `json:"stack"`
}

// wireType is the type of the Temporal failures that hold errors of bodies and of runs.
const wireType = "asyncsteps"

// encode makes a Temporal error of err, which Temporal stores and doesn't retry.
func (s *settings) encode(err error) error {
	return temporal.NewApplicationErrorWithOptions(err.Error(), wireType, temporal.ApplicationErrorOptions{
		NonRetryable: true, Details: []any{s.wire(err)},
	})
}

// wire returns what passes of err besides its text.
func (s *settings) wire(err error) (w wire) {
	if coded(err) {
		w.Code, w.Info = fault.CodeOf(err), fault.InfoOf(err)
	}
	for _, n := range s.named {
		if fault.Is(err, n.err) {
			w.Names = append(w.Names, n.name)
		}
	}
	if p, ok := fault.AsType[*fault.Panic](err); ok {
		w.Panic = &wirePanic{fmt.Sprint(p.Value), string(p.Stack)}
	}
	return w
}

// coded reports whether err carries a code; other errors count as InternalError without having one.
func coded(err error) bool {
	if _, ok := fault.AsType[*fault.Error](err); ok {
		return true
	}
	_, ok := fault.AsType[fault.Code](err)
	return ok
}

// decode makes the error that encode was given of an error of Temporal. Temporal's own errors get codes of package
// fault.
func (s *settings) decode(err error) error {
	if err == nil {
		return nil
	}
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		var w wire
		if app.Type() == wireType && app.Details(&w) == nil {
			return s.far(app.Message(), w)
		}
		return fault.Wrap(fault.InternalError, "the engine reports: "+app.Message(), err)
	}
	if c, ok := errors.AsType[*temporal.CanceledError](err); ok {
		far := farError{text: "Cancelled: the run was cancelled", is: []error{fault.New(fault.Cancelled, "")}}
		var text string
		var w wire
		if c.Details(&text, &w) == nil { // of a run, not of a body
			far = farError{text, s.means(w)}
		}
		far.is = append(far.is, context.Canceled)
		return &far
	}
	if _, ok := errors.AsType[*temporal.TimeoutError](err); ok {
		return fault.Wrap(fault.Timeout, "the engine has given a body up", err)
	}
	return err
}

// far makes the error that another process has encoded as text and w.
func (s *settings) far(text string, w wire) error {
	is := s.means(w)
	if len(is) == 1 && w.Code != "" && is[0].Error() == text {
		return is[0]
	}
	return &farError{text, is}
}

// means returns the errors that errors.Is finds in the error that was encoded as w. The one with the code comes first, because the
// named ones may have codes of their own.
func (s *settings) means(w wire) (is []error) {
	if w.Code != "" {
		is = append(is, fault.New(w.Code, w.Info))
	}
	for _, n := range s.named {
		if slices.Contains(w.Names, n.name) {
			is = append(is, n.err)
		}
	}
	if w.Panic != nil {
		is = append(is, &fault.Panic{Value: w.Panic.Value, Stack: []byte(w.Panic.Stack)})
	}
	return is
}

// farError is an error that has happened in another process.
type farError struct {
	text string
	is   []error // errors that errors.Is finds
}

// Error returns the text that the error had in the other process.
func (e *farError) Error() string { return e.text }

// Unwrap returns what errors.Is and errors.As find: one with the code, errors of [Errors], and a panic.
func (e *farError) Unwrap() []error { return e.is }
