package step

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/op"
)

// Unit is the empty struct: the input of steps that need none, and the result of steps that have none.
type Unit = struct{}

// Act is [Await] for a body that has neither input nor result.
//
//	flow.Run(ctx, flow.Timeout(time.Minute, step.Act(sweep)), step.Unit{})
//
// Errors, cancellation and the grace are as for Await. A nil body is reported as for [Map].
//
//spec:ftn12 §1.13, §2.2.1 await
func Act(body func(ctx context.Context) error) Step[Unit, Unit] {
	return op.Act(body)
}
