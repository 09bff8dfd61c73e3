package debug

import (
	"fmt"
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
)

// short returns an error that prints as err does, but with texts cut off after limit bytes, with at most maxWrapped
// secondary errors of each, and without what is deep inside of these. Events of a run come on its
// loop, so printing them must not cost time in proportion to the errors of the user.
func short(err error, limit int) error { return shortAt(err, limit, maxWrapped) }

// maxWrapped bounds how deep errors are looked into, deeper than fault prints them, and how many secondary errors of each are
// kept.
const maxWrapped = 20

func shortAt(err error, limit, depth int) error {
	if err == nil {
		return nil
	}
	e, ok := err.(*fault.Error) //nolint:errorlint // others print their text as a whole
	switch {
	case !ok:
		return shortText(err, limit, depth)
	case e == nil:
		return err
	}
	c := *e
	c.Info = clip(e.Info, limit)
	if depth == 0 {
		c.Cause, c.Secondary = nil, nil
		return &c
	}
	c.Cause = shortAt(e.Cause, limit, depth-1)
	c.Secondary = slices.Clone(e.Secondary[:min(len(e.Secondary), maxWrapped)])
	for i, also := range c.Secondary {
		c.Secondary[i] = shortAt(also, limit, min(depth-1, 1))
	}
	return &c
}

// shortText shortens an error of another type. fmt copies no more of its text than asked for, and catches a panic.
func shortText(err error, limit, depth int) error {
	text := fmt.Sprintf("%.*v", limit+1, err)
	if len(text) <= limit {
		return err
	}
	cut := beginning{text: clip(text, limit)}
	if e, ok := fault.AsType[*fault.Error](err); ok && e != nil && depth > 0 {
		cut.inner = shortAt(e, limit, depth-1)
	}
	return cut
}

type beginning struct {
	text  string
	inner error // the error of package fault that it wraps, or nil
}

func (b beginning) Error() string { return b.text }

func (b beginning) Unwrap() error { return b.inner }
