package op

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Act is Await for a body that has neither input nor result.
func Act(body func(context.Context) error) *plan.Stage[struct{}, struct{}] {
	var do func(context.Context, struct{}) error
	if body != nil {
		do = func(ctx context.Context, _ struct{}) error { return body(ctx) }
	}
	s := Do(do)
	s.Node().Relabel("act", "step.Act: the body is nil")
	s.Node().Calls(body)
	return s
}
