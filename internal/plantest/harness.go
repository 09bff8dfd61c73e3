package plantest

import (
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Harness is a loop in virtual time with a [Recorder] of what happens on it.
type Harness struct {
	*tooltest.Loop
	Recorder
	tb testing.TB
}

// NewHarness returns a Harness. When tb ends, errors that were reported to the loop and callbacks left on it fail tb.
func NewHarness(tb testing.TB) *Harness {
	tb.Helper()
	h := &Harness{Loop: NewLoop(tb), tb: tb}
	tb.Cleanup(func() {
		if n := h.Pending(); n != 0 {
			tb.Errorf("%d callbacks are left on the loop", n)
		}
	})
	return h
}

// WantEvents fails the test unless these lines have been recorded since the previous call. events has the lines separated by
// spaces, so no line may have a space in it.
func (h *Harness) WantEvents(events string) {
	h.tb.Helper()
	h.Want(h.tb, strings.Fields(events)...)
	h.Lines = nil
}
