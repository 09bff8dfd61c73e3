package frame

import "testing"

type countingHolder struct {
	*testOp
	told int
}

func (o *countingHolder) Release(*Frame) { o.told++ }

func holderOp(inst *Activation, ops ...Op) *countingHolder {
	inner := callOp(inst, ops...)
	return &countingHolder{testOp: &testOp{exec: func(f *Frame) Verdict {
		f.Hold()
		return inner.exec(f)
	}}}
}

// G1: an op that holds something is told once that its sub-steps have failed, also if its handler has sub-steps that
// fail too.
func TestHolderIsToldOnce(t *testing.T) {
	inst := new(Activation)
	o := holderOp(inst, failOp(errFirst))
	again := callOp(inst, failOp(errSecond))
	o.handle = func(f *Frame, _ error) Verdict {
		if o.told != 1 {
			t.Errorf("told %d times before the handler is asked", o.told)
		}
		return again.exec(f)
	}
	wantCode(t, runOps(t, inst, o), "Second")
	if o.told != 1 {
		t.Errorf("told %d times", o.told)
	}
}

// G1: an op isn't told any more after it has said that it holds nothing.
func TestHolderThatHoldsNothing(t *testing.T) {
	for name, end := range map[string]func(*Frame) Verdict{
		"success": func(*Frame) Verdict { return Done },
		"failure": func(f *Frame) Verdict { return f.Fail(errFirst) },
	} {
		t.Run(name, func(t *testing.T) {
			inst := new(Activation)
			o := holderOp(inst, execOp(nil))
			o.resume = func(f *Frame) Verdict {
				f.Unhold()
				return end(f)
			}
			_ = runOps(t, inst, o)
			if o.told != 0 {
				t.Errorf("told %d times", o.told)
			}
		})
	}
}
