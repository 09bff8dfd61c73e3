package main

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

const (
	callLimit   = time.Second // for each call of a service
	cancelTries = 3
	undoLimit   = 10 * time.Second // for the cancellation of one booking once the run is cancelled
)

// stillBooked is the code for a booking that could not be cancelled.
const stillBooked fault.Code = "StillBooked"

// newSaga makes the plan that books a trip, its input, with all services, one after the other. If an error, a timeout
// or a cancel ends the run, the bookings are cancelled in reverse order, and then the run ends with that error.
func newSaga(services ...service) flow.Plan[string, string] {
	trip := flow.Chain[string]()
	for _, s := range services {
		trip = flow.Then(trip, flow.Then(s.undo(), s.booking()))
	}
	return flow.Grace(undoLimit, flow.Saga(trip))
}

// booking returns the step that books with s, within callLimit.
func (s service) booking() flow.Plan[string, string] {
	return flow.Named(s.name, flow.Timeout(callLimit, step.Do(s.book)))
}

// undo returns a step that does nothing. Its compensation cancels the booking of the step that follows, even if that step has failed:
// after a timeout or a lost answer nobody knows whether the service has booked.
func (s service) undo() flow.Plan[string, string] {
	cancel := retry.Of(retry.Policy{Tries: cancelTries}, flow.Timeout(callLimit, step.Do(s.cancel)))
	return flow.Undo(flow.Chain[string](), flow.Catch(cancel, func(_ step.Scope, err error) step.Next[string] {
		return step.Fail[string](fault.Wrap(stillBooked, s.name+" is not cancelled", err))
	}))
}
