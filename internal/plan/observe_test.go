package plan

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// An Observer has a host to report to, also for a run that has no loop yet.
func TestObserverOfARunWithoutALoop(t *testing.T) {
	s := only(nothing{})
	asked := 0
	ctx := WithObserver(t.Context(), func(ctx context.Context, host *tool.Host, _ *Node) (context.Context, frame.Watch) {
		if asked++; host == nil {
			t.Error("it is given no host")
		}
		return ctx, nil
	})
	if _, err := Run(ctx, s, 1); err != nil || asked != 1 {
		t.Errorf("%v; the observer was asked %d times", err, asked)
	}
}
