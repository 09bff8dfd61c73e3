package op

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Do is Await for a body that returns only an error: the step passes its input on.
func Do[In any](body func(context.Context, In) error) *plan.Stage[In, In] {
	var await func(context.Context, In) (In, error)
	if body != nil {
		await = func(ctx context.Context, in In) (In, error) { return in, body(ctx, in) }
	}
	s := Await(0, await)
	s.Node().Relabel("do", "step.Do: the body is nil")
	s.Node().Calls(body)
	return s
}
