package step

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/op"
)

// Do is [Await] for a body that only returns an error: the step passes its input on when body has returned nil.
//
//	step.Do(func(ctx context.Context, o Order) error { return mail.Confirm(ctx, o) })
//
// Errors, cancellation and the grace are as for Await. A nil body is reported as for [Map].
//
//spec:ftn12 §1.13, §2.2.1 await
func Do[In any](body func(ctx context.Context, in In) error) Step[In, In] {
	return op.Do(body)
}
