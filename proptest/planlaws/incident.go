package planlaws

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// kind says how a run differs from one in plain order.
type kind string

const (
	plain      kind = "plain"
	fresh      kind = "fresh"      // a second new plan
	again      kind = "again"      // the same plan once more
	unobserved kind = "unobserved" // without an observer
	cancels    kind = "cancel"     // a cancel before a callback
	limits     kind = "limit"      // a limit that passes before a callback
	failsCall  kind = "error"      // a call returns an error
	panicsCall kind = "panic"      // a call panics
	scheduled  kind = "schedule"   // another order, in which a cancel may come
)

// incident says how one run differs from one in plain order, and where.
type incident struct {
	kind     kind
	at       int // number of the callback, from 0, or of the call, from 1
	schedule explore.Schedule

	limit time.Duration // only for the kind limits
}

// String returns the form that parseCase reads, without the number of the input.
func (c incident) String() string {
	switch c.kind {
	case cancels, limits, failsCall, panicsCall:
		return fmt.Sprintf("%s=%d", c.kind, c.at)
	case scheduled:
		return fmt.Sprintf("%s=%s", c.kind, c.schedule)
	default:
		return string(c.kind)
	}
}

func (c incident) story() string {
	switch c.kind {
	case fresh:
		return "a second plan with the same input"
	case again:
		return "the same plan again, with the same input"
	case unobserved:
		return "without an observer"
	case cancels:
		return fmt.Sprintf("a cancel after %d callbacks of the loop", c.at)
	case limits:
		return fmt.Sprintf("a limit that passes after %d callbacks of the loop", c.at)
	case failsCall:
		return fmt.Sprintf("an error at call %d", c.at)
	case panicsCall:
		return fmt.Sprintf("a panic at call %d", c.at)
	case scheduled:
		return fmt.Sprintf("schedule %s", c.schedule)
	default:
		return "in plain order"
	}
}

// parseCase parses the value of ReplayVar: the number of the input and the incident, as in "3/cancel=5".
func parseCase(text string) (input int, c incident, err error) {
	number, rest, _ := strings.Cut(text, "/")
	if input, err = strconv.Atoi(number); err != nil || input < 0 {
		return 0, c, fmt.Errorf("planlaws: %q is no case: want one like 3/cancel=5", text)
	}
	name, value, valued := strings.Cut(rest, "=")
	c.kind = kind(name)
	switch c.kind {
	case plain, fresh, again, unobserved:
		if valued {
			return 0, c, fmt.Errorf("planlaws: %q: %s has no value", text, name)
		}
	case cancels, limits, failsCall, panicsCall:
		if c.at, err = strconv.Atoi(value); err != nil || c.at < 0 {
			return 0, c, fmt.Errorf("planlaws: %q: %q is no number", text, value)
		}
	case scheduled:
		c.schedule, err = explore.Parse(value)
	default:
		err = fmt.Errorf("planlaws: %q: what is %q?", text, name)
	}
	return input, c, err
}
