package flow_test

import (
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// The times of events in a life. No two things happen at the same time.
const (
	limitPasses  = 3 * time.Millisecond
	cancelComes  = 5 * time.Millisecond // at 4 ms the handler's sub-steps end, if the limit has passed
	workEnds     = 10 * time.Millisecond
	siblingEnds  = 20 * time.Millisecond
	handlerTakes = time.Millisecond
)

const (
	ownValue      = 1
	recoveryValue = 2
	insteadValue  = 3
	siblingValue  = 100
	tailValue     = 1000
)

type expected struct {
	log   []string   // all calls, in order
	value int        // result of a run that succeeds
	code  fault.Code // of one that doesn't; "" for success
	cause error      // an error that errors.Is must find; nil if none in particular
	taken bool       // the completion of the step from outside counted
}

func (l life) instant() bool {
	return l.work == function || l.work == direct || l.work == waiting && l.end >= panics
}

// foretell returns the expected result, by the rules E1, E2, C1–C3, C6 and P3.
func (l life) foretell() expected {
	if l.stop == before {
		return expected{code: fault.Cancelled, cause: errStop}
	}
	begun := []string{"body"}
	if l.place == beside {
		begun = []string{"sibling", "body"}
	}
	cleanups := when(l.stack, "second cleanup", "first cleanup")
	hook := when(l.hook, "hook")
	abandonedSibling := when(l.place == beside, "sibling hook")

	// The run is cancelled while the step works: branches are left in their order, and no handler is called. If the
	// body has cancelled the run and then succeeded, its hook isn't called.
	cancelled := expected{code: fault.Cancelled, cause: errStop}
	if l.instant() && l.end == succeeds {
		cancelled.log = slices.Concat(begun, cleanups, abandonedSibling)
	} else {
		cancelled.log = slices.Concat(begun, abandonedSibling, hook, cleanups)
	}
	timedOut := l.limit == strict && !l.instant()
	if l.stop == during && !timedOut {
		return cancelled
	}

	taken := !timedOut
	if l.end == succeeds && !timedOut {
		return l.goesOn(slices.Concat(begun, cleanups), ownValue, taken)
	}

	// The work fails: hook, handler and cleanups are called, in this order if the handler is the step's own. If the
	// handler is around several steps, the step is left first.
	code, cause := fault.InternalError, error(nil)
	switch {
	case timedOut:
		code = fault.Timeout
	case l.end == fails:
		code, cause = failed.Code, failed
	}
	log := slices.Concat(begun, hook)
	left := cleanups
	if l.place == grouped {
		log = slices.Concat(log, cleanups)
		left = nil
	}
	if l.catch != uncaught {
		log = append(log, "handler "+string(code))
	}
	switch l.catch {
	case recovers:
		return l.goesOn(slices.Concat(log, left), recoveryValue, taken)
	case substitutes:
		return l.goesOn(slices.Concat(log, []string{"substitute"}, left), insteadValue, taken)
	case replaces:
		code, cause = replaced.Code, replaced
	}
	return expected{log: slices.Concat(log, left, abandonedSibling), code: code, cause: cause, taken: taken}
}

func (l life) goesOn(log []string, value int, taken bool) expected {
	if l.place == beside {
		// Only after a strict limit has the step ended before the cancel comes.
		if l.stop == during {
			return expected{log: append(log, "sibling hook"), code: fault.Cancelled, cause: errStop, taken: taken}
		}
		value += siblingValue
	}
	return expected{log: append(log, "tail"), value: value + tailValue, taken: taken}
}

func when(cond bool, lines ...string) []string {
	if !cond {
		return nil
	}
	return lines
}
