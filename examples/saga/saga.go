package main

import (
	"errors"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

const (
	callLimit   = time.Second // for each call of a service
	cancelTries = 3
)

// stillBooked is the code for a booking that could not be cancelled.
const stillBooked fault.Code = "StillBooked"

var (
	// lastError is kept by the run: here, why the last try was in vain.
	lastError = step.NewVar[error](step.LastException)

	cancelling = loopx.NewLabel[failure]("cancelling")
)

// failure is what handlers start a compensation with.
type failure struct {
	trip      string
	err       error // that goes on afterwards
	cancelled bool
}

// newSaga books a trip, its input, with all services, one after the other. Each
// has a handler that covers its booking and all that comes after it:
//
//	try flight
//	    try hotel
//	        try car
//	        or cancel car
//	    or cancel hotel
//	or cancel flight
//
// So an error that unwinds meets them in the order in which bookings have to be
// cancelled. Cancelling the run would ask no handler: let it end.
func newSaga(services ...service) flow.Plan[string, string] {
	rest := flow.Chain[string]()
	for _, s := range slices.Backward(services) {
		book := flow.Named(s.name, flow.Timeout(callLimit, step.Await(s.book)))
		rest = flow.CatchInput(flow.Then(book, rest), s.compensate())
	}
	return rest
}

// compensate gives the handler that cancels the booking, even one that has
// failed: after a timeout or a lost answer nobody knows. Then the error goes on,
// also if cancelling was tried in vain.
func (s service) compensate() func(step.Scope, string, error) step.Next[string] {
	cancel := flow.Timeout(callLimit, step.Await(s.cancel))
	try := flow.Catch(flow.Then(cancel, step.New(done)), again)
	tries := loopx.Labelled(cancelling, loopx.Repeat(cancelTries, try))
	steps := flow.Then(tries, step.Func(s.raise))
	return func(as step.Scope, trip string, err error) step.Next[string] {
		return step.Into(as, steps, failure{trip: trip, err: err})
	}
}

func done(_ step.Scope, f failure) step.Next[failure] {
	f.cancelled = true
	return loopx.BreakTo[failure](cancelling, f)
}

func again(step.Scope, error) step.Next[failure] { return loopx.Continue[failure]() }

// raise gives the error to the handlers of the services before this one.
func (s service) raise(as step.Scope, f failure) (string, error) {
	if f.cancelled {
		return "", fault.Wrap(fault.CodeOf(f.err), s.name+" is cancelled", f.err)
	}
	why, _ := lastError.Get(as)
	return "", fault.Wrap(stillBooked, s.name+" is not cancelled", errors.Join(why, f.err))
}
