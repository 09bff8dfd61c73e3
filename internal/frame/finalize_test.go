package frame

import "testing"

// countingFinalizer is a Finalizer that needs no further steps.
type countingFinalizer struct {
	*testOp
	asked int
	how   Leaving // given to the last call
}

func (o *countingFinalizer) Finalize(_ *Frame, how Leaving) bool {
	o.asked++
	o.how = how
	return false
}

// K2, K5: an op that needs no further steps isn't asked for them again when its handler has sub-steps that fail too.
func TestFinalizerIsAskedOnce(t *testing.T) {
	inst := new(Activation)
	body, again := callOp(inst, failOp(errFirst)), callOp(inst, failOp(errSecond))
	o := &countingFinalizer{testOp: &testOp{
		exec:   func(f *Frame) Verdict { f.Finally(); return body.exec(f) },
		handle: func(f *Frame, _ error) Verdict { return again.exec(f) },
	}}
	wantCode(t, runOps(t, inst, o), "Second")
	if o.asked != 1 {
		t.Errorf("asked %d times", o.asked)
	}
}

// K2: an op that has nothing to finalize any more isn't asked, although its step fails.
func TestFinalizerThatHasNothingToDo(t *testing.T) {
	inst := new(Activation)
	body := callOp(inst, execOp(nil))
	o := &countingFinalizer{testOp: &testOp{
		exec: func(f *Frame) Verdict { f.Finally(); return body.exec(f) },
		resume: func(f *Frame) Verdict {
			f.Unfinally()
			return f.Fail(errFirst)
		},
	}}
	wantCode(t, runOps(t, inst, o), "First")
	if o.asked != 0 {
		t.Errorf("asked %d times", o.asked)
	}
}

// E4: an op is told of the error that leaves its step with the errors that joined it on the way, as a handler is.
func TestFinalizerIsToldOfEveryError(t *testing.T) {
	inst := new(Activation)
	body := callOp(inst, execOp(func(f *Frame) Verdict {
		f.SetCancel(func() { breakRule(f) })
		return f.Fail(errFirst)
	}))
	o := &countingFinalizer{testOp: execOp(func(f *Frame) Verdict { f.Finally(); return body.exec(f) })}
	wantCode(t, runOps(t, inst, o), "First")
	if e := wantCode(t, o.how.Err, "First"); o.how.Cancelled || len(e.Secondary) != 1 {
		t.Errorf("cancelled is %t, the other errors are %v; want the broken rule", o.how.Cancelled, e.Secondary)
	}
}
