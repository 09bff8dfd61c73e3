package plantest_test

import (
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/plantest"
)

func TestRig(t *testing.T) {
	r := &recorder{TB: t}
	rig := plantest.NewRig(r)
	rig.Note("+%s", "a")
	rig.Note("-%s", "a")
	if rig.Want("+a -a"); r.failures != nil {
		t.Errorf("%q", r.failures)
	}
	if rig.Want(""); r.failures != nil {
		t.Errorf("the log isn't emptied: %q", r.failures)
	}
	rig.Note("+b")
	if rig.Want("+a"); len(r.failures) != 1 {
		t.Errorf("another event is not noticed: %q", r.failures)
	}
	if _, err := rig.Immediate(func() {}); err != nil {
		t.Fatal(err)
	}
	for _, end := range slices.Backward(r.cleanups) {
		end()
	}
	if len(r.failures) != 2 {
		t.Errorf("a callback that is left is not noticed: %q", r.failures)
	}
}
