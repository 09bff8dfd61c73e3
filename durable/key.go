package durable

import (
	"context"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
)

// Key returns the name of one call of a body, if ctx is the context that the body was given, or is derived from it. The name has
// the id of the run, the path of the step, and how many times the run has come to the step, like "order-17/0/par.1/2#1". A call
// that is repeated because a worker was lost has the same Key: give it to services that recognise repeats. A later attempt by the
// plan itself (package retry, a loop) is another call, with the next number. In a run that has begun anew with [Again], the id is
// followed by ~ and the number of new beginnings. For other contexts Key returns "".
func Key(ctx context.Context) string { return engine.Key(ctx) }
