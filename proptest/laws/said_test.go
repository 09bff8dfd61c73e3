package laws_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/syncx"
)

// said returns an error in the form of events: code and info, then those of the secondary errors.
func said(err error) string {
	if err == nil {
		return ""
	}
	all := []string{brief(err)}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		for _, other := range e.Secondary {
			all = append(all, brief(other))
		}
	}
	return strings.Join(all, "; also ")
}

// brief returns code and info without the place of the error.
func brief(err error) string {
	code, info := fault.CodeOf(err), fault.InfoOf(err)
	if code == syncx.Deadlock {
		return string(code) // the model gives a deadlock no info
	}
	return strings.TrimSpace(string(code) + " " + stepAt.ReplaceAllString(info, "step "))
}

// stepAt matches the name of a step in the machine's errors: the nearest name around it, its path, and its own name, if any.
var stepAt = regexp.MustCompile(`^step ("[^"]*" › )?[0-9]\S*( name| L[0-9])? `)

// err returns the error of a failing body: a bare code or one with an info.
func (b *body) err() error {
	if b.code == fault.CommError {
		return b.code
	}
	return fault.New(b.code, b.info())
}

func (b *body) info() string {
	if b.code == fault.CommError {
		return ""
	}
	return fmt.Sprintf("of #%d", b.id)
}
