package frame

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// The error of a run that has begun is raised at the step that waits for it as one of a sub-step; the error of one that
// hasn't stays as it is.
func TestWithin(t *testing.T) {
	inst := new(Activation)
	began := play(t, inst, fails(errFirst))
	if got := Within(began); got == began {
		t.Error("a run that has begun: the error is taken for one of the step itself")
	}
	refused := error(fault.New(fault.Cancelled, "the loop takes no more work"))
	if got := Within(refused); got != refused {
		t.Errorf("a run that hasn't begun: got %T", got)
	}
}
