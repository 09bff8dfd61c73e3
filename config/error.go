package config

import (
	"encoding/json"
	"errors"
	"strings"
)

// Error tells what is wrong with a field.
type Error struct {
	Path   string // path of the field: "payments.retry.pause"; empty for the text as a whole
	Reason string
}

// Error returns the path and the reason.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return e.Path + ": " + e.Reason
}

// at returns err as an *Error, with name put in front of the path.
func at(name string, err error) error {
	inner := new(Error)
	var typed *json.UnmarshalTypeError
	switch {
	case errors.As(err, &inner):
	case errors.As(err, &typed):
		inner = &Error{typed.Field, "a JSON " + typed.Value + " where a value of the type " + typed.Type.String() + " belongs"}
	default:
		inner = &Error{Reason: strings.TrimPrefix(err.Error(), "json: ")}
	}
	return &Error{strings.Trim(name+"."+inner.Path, "."), inner.Reason}
}
