package frame

import "testing"

// finalizing is a Finalizer that needs no further steps. It counts the calls of its method.
type finalizing struct {
	*scripted
	asked int
	how   Leaving // given to the last of them
}

func (o *finalizing) Finalize(_ *Frame, how Leaving) bool {
	o.asked++
	o.how = how
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

// K2: an op that has nothing to finalize any more isn't asked, although its step fails.
func TestFinalizerThatHasNothingToDo(t *testing.T) {
	inst := new(Activation)
	body := hold(inst, does(nil))
	o := &finalizing{scripted: &scripted{
		exec: func(f *Frame) Verdict { f.Finally(); return body.exec(f) },
		resume: func(f *Frame) Verdict {
			f.Unfinally()
			return f.Fail(errFirst)
		},
	}}
	coded(t, play(t, inst, o), "First")
	if o.asked != 0 {
		t.Errorf("asked %d times", o.asked)
	}
}

// E4: an op is told of the error that leaves its step with the errors that joined it on the way, as a handler is.
func TestFinalizerIsToldOfEveryError(t *testing.T) {
	inst := new(Activation)
	body := hold(inst, does(func(f *Frame) Verdict {
		f.SetCancel(func() { breakRule(f) })
		return f.Fail(errFirst)
	}))
	o := &finalizing{scripted: does(func(f *Frame) Verdict { f.Finally(); return body.exec(f) })}
	coded(t, play(t, inst, o), "First")
	if e := coded(t, o.how.Err, "First"); o.how.Cancelled || len(e.Secondary) != 1 {
		t.Errorf("cancelled is %t, the other errors are %v; want the broken rule", o.how.Cancelled, e.Secondary)
	}
}
