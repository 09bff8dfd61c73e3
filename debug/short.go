package debug

import (
	"fmt"
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
)

// short returns an error that prints as err does, but with texts cut off after limit bytes, with at most maxWrapped
// secondary errors of each error, and without causes of the causes of secondary errors. The loop of a run prints
// the errors in its events, and must not spend more time on them the larger they are.
func short(err error, limit int) error {
	s := shortening{limit: limit}
	return s.at(err, maxWrapped)
}

// maxWrapped bounds how many secondary errors of each error are kept, and how many levels of causes: more levels than fault prints.
const maxWrapped = 20

// shortening shortens each fault.Error once: if a cause has the secondary errors of the error around it, fault recognizes them by
// identity and prints them once.
type shortening struct {
	limit int
	made  map[*fault.Error]*fault.Error // nil until an error has secondary ones
}

func (s *shortening) at(err error, depth int) error {
	if err == nil {
		return nil
	}
	e, ok := err.(*fault.Error) //nolint:errorlint // others print their text as a whole
	switch {
	case !ok:
		return s.text(err, depth)
	case e == nil:
		return err
	}
	c := s.made[e]
	if c == nil {
		c = new(fault.Error)
		if s.made != nil {
			s.made[e] = c
		}
		s.fill(c, e, depth)
	}
	return c
}

func (s *shortening) fill(c, e *fault.Error, depth int) {
	*c = *e
	c.Info = clip(e.Info, s.limit)
	if depth == 0 {
		c.Cause, c.Secondary = nil, nil
		return
	}
	if len(e.Secondary) > 0 && s.made == nil {
		s.made = map[*fault.Error]*fault.Error{e: c}
	}
	c.Cause = s.at(e.Cause, depth-1)
	c.Secondary = slices.Clone(e.Secondary[:min(len(e.Secondary), maxWrapped)])
	for i, also := range c.Secondary {
		c.Secondary[i] = s.at(also, min(depth-1, 1))
	}
}

// text shortens an error that isn't a *fault.Error. It prints err by fmt, which catches a panic of the method Error.
func (s *shortening) text(err error, depth int) error {
	text := fmt.Sprintf("%.*v", s.limit+1, err)
	if len(text) <= s.limit && !s.holdsMore(err) {
		return err
	}
	cut := beginning{text: clip(text, s.limit)}
	if e, ok := fault.AsType[*fault.Error](err); ok && e != nil && depth > 0 {
		cut.inner = s.at(e, depth-1)
	}
	return cut
}

// holdsMore reports whether err wraps an error of package fault that prints more than the text of err.
func (s *shortening) holdsMore(err error) bool {
	for range maxWrapped {
		e, ok := fault.AsType[*fault.Error](err)
		if !ok || e == nil {
			return false
		}
		if len(e.Secondary) > 0 || len(e.Info) > s.limit {
			return true
		}
		err = e.Cause
	}
	return true
}

type beginning struct {
	text  string
	inner error // the error of package fault that it wraps, or nil
}

func (b beginning) Error() string { return b.text }

func (b beginning) Unwrap() error { return b.inner }
