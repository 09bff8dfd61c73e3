package laws_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/syncx"
)

// said is an error as events have it: code and info, then those of the secondary
// errors in their order.
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

// brief is code and info, without the place: that has events of its own.
func brief(err error) string {
	code, info := fault.CodeOf(err), fault.InfoOf(err)
	if code == syncx.Deadlock {
		return string(code) // a report of some lines
	}
	return strings.TrimSpace(string(code) + " " + stepAt.ReplaceAllString(info, "step "))
}

// stepAt is how the machine names a step: by its path, and its name if it has one.
var stepAt = regexp.MustCompile(`^step [0-9]\S*( name| L[0-9])? `)

// err is the error that a body fails with: a bare code or one with an info.
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
