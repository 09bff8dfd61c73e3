package stream

import (
	"math"
	"strconv"

	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Bound limits the number of elements that are in a stage to Limit + Buffer. A full stage takes no more from the
// stage before it, so a slow stage slows the source, and memory is bounded.
type Bound struct {
	// Limit is the largest number of elements that are worked on at the same time. It must be at least 1.
	Limit int
	// Buffer is the number of further elements that may wait in the stage. Some wait to be begun, others are done and wait
	// for their turn. With a larger Buffer, an element that takes long holds up fewer others.
	Buffer int
	// Unordered makes the stage give each result when it is done. Otherwise results come in the order of the
	// elements, and an element that takes long holds up those behind it.
	Unordered bool
}

func (b Bound) parameters() []plan.Parameter {
	all := []plan.Parameter{plan.Set("limit", b.Limit), plan.Set("buffer", b.Buffer)}
	if b.Unordered {
		all = append(all, plan.Set("order", "as they come"))
	}
	return all
}

func (b Bound) bad() string {
	switch {
	case b.Limit < 1:
		return "Bound.Limit must be at least 1, got " + strconv.Itoa(b.Limit)
	case b.Buffer < 0:
		return "Bound.Buffer must not be negative, got " + strconv.Itoa(b.Buffer)
	case b.Buffer > math.MaxInt32-b.Limit:
		return "Bound.Limit and Bound.Buffer together must be at most " + strconv.Itoa(math.MaxInt32) +
			", got " + strconv.Itoa(b.Limit) + " and " + strconv.Itoa(b.Buffer)
	default:
		return ""
	}
}

func first(bad ...string) string {
	for _, what := range bad {
		if what != "" {
			return what
		}
	}
	return ""
}

// atLeast returns an error text if n is below least, and otherwise "". what names the argument.
func atLeast(least, n int, what string) string {
	if n < least {
		return what + " must be at least " + strconv.Itoa(least) + ", got " + strconv.Itoa(n)
	}
	return ""
}
