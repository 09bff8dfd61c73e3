package plantest_test

import (
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/plantest"
)

func TestHarness(t *testing.T) {
	r := &recorder{TB: t}
	h := plantest.NewHarness(r)
	h.Recordf("+%s", "a")
	h.Recordf("-%s", "a")
	if h.WantEvents("+a -a"); r.failures != nil {
		t.Errorf("%q", r.failures)
	}
	if h.WantEvents(""); r.failures != nil {
		t.Errorf("the log isn't emptied: %q", r.failures)
	}
	h.Recordf("+b")
	if h.WantEvents("+a"); len(r.failures) != 1 {
		t.Errorf("another event is not noticed: %q", r.failures)
	}
	if _, err := h.Immediate(func() {}); err != nil {
		t.Fatal(err)
	}
	for _, end := range slices.Backward(r.cleanups) {
		end()
	}
	if len(r.failures) != 2 {
		t.Errorf("a callback that is left is not noticed: %q", r.failures)
	}
}
