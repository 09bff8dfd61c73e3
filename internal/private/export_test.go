package private

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Idle takes a loop that waits for its next run under ctx, and returns what it refers to; ok is false if there is none.
func Idle(ctx context.Context) (run *frame.Run, of context.Context, ok bool) {
	s, ok := optionsIn(ctx).idle.Get().(*loop)
	if !ok {
		return nil, nil, false
	}
	return s.run, s.ctx, true
}
