package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Program is a set of flows that run together on one event loop. Times are in ticks.
type Program struct {
	Version int              `json:"v"`
	Sync    map[string]Guard `json:"sync,omitempty"`
	Models  map[string]Model `json:"models,omitempty"`
	Roots   []Root           `json:"roots"`
}

// Guard describes a synchronisation object; which fields count depends on Type.
type Guard struct {
	Type       string `json:"type"` // mutex, throttle or limiter
	Max        int    `json:"max,omitempty"`
	MaxQueue   *int   `json:"max_queue"` //nolint:tagliatelle // the format says so; nil: unlimited
	Period     int    `json:"period,omitempty"`
	Concurrent int    `json:"concurrent,omitempty"`
	Rate       int    `json:"rate,omitempty"`
	Burst      int    `json:"burst,omitempty"`
}

// Model is a flow that isn't run itself: other flows copy it.
type Model struct {
	State map[string]Value `json:"state,omitempty"`
	Do    Actions          `json:"do"`
}

// Root is a flow that runs by itself. Its Do is executed at the start of the program, in the order of the roots, even if At is
// later. The Do of a root with Spawn is executed when the root is spawned.
type Root struct {
	Do     Actions          `json:"do"`
	At     int              `json:"at,omitempty"` // when the root starts
	State  map[string]Value `json:"state,omitempty"`
	Cancel *int             `json:"cancel,omitempty"` // when the root is cancelled, if it is running then; nil: never
	Via    string           `json:"via,omitempty"`    // how the root is run: execute, the default, or promise
	Spawn  bool             `json:"spawn,omitempty"`  // the action Spawn starts the root
}

// Step is a step with its body and handler.
type Step struct {
	ID    int      `json:"id"`
	Do    Actions  `json:"do"`
	Catch *Actions `json:"catch,omitempty"` // nil: no handler
	Quiet bool     `json:"quiet,omitempty"` // calls of the step's callbacks aren't traced
}

// Decode reads a program and checks it; every mistake is a [*FormatError].
func Decode(text []byte) (*Program, error) {
	if err := shallow(text); err != nil {
		return nil, err
	}
	p := new(Program)
	if err := strict(text, p); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	return p, nil
}

// maxDepth bounds the nesting of JSON.
const maxDepth = 300

// shallow rejects JSON that nests deeper than maxDepth, because decoding is recursive.
func shallow(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	depth := 0
	for {
		token, err := dec.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return malformed("%v", err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth > maxDepth {
			return malformed("nested deeper than %d", maxDepth)
		}
	}
}

// strict decodes one JSON value. The value must not have fields that the target lacks.
func strict(text []byte, to any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(to); err != nil {
		if format, ok := errors.AsType[*FormatError](err); ok {
			return format
		}
		return malformed("%v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return malformed("something follows the program")
	}
	return nil
}
