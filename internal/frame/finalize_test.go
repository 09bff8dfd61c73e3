package frame

import "testing"

// finalizing is a Finalizer that needs no further steps. It counts the calls of its method.
type finalizing struct {
	*scripted
	asked int
}

func (o *finalizing) Finalize(*Frame, Leaving) bool {
	o.asked++
	return false
}

// K2, K5: an op that needs no further steps isn't asked for them again when its handler has sub-steps that fail too.
func TestFinalizerIsAskedOnce(t *testing.T) {
	inst := new(Activation)
	body, again := hold(inst, fails(errFirst)), hold(inst, fails(errSecond))
	o := &finalizing{scripted: &scripted{
		exec:   func(f *Frame) Verdict { f.Finally(); return body.exec(f) },
		handle: func(f *Frame, _ error) Verdict { return again.exec(f) },
	}}
	coded(t, play(t, inst, o), "Second")
	if o.asked != 1 {
		t.Errorf("asked %d times", o.asked)
	}
}
