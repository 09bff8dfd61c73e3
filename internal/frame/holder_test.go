package frame

import "testing"

// keeper is a Holder that counts the calls of its method.
type keeper struct {
	*scripted
	told int
}

func (o *keeper) Release(*Frame) { o.told++ }

// keeps returns a keeper with ops as its sub-steps.
func keeps(inst *Activation, ops ...Op) *keeper {
	inner := hold(inst, ops...)
	return &keeper{scripted: &scripted{exec: func(f *Frame) Verdict {
		f.Hold()
		return inner.exec(f)
	}}}
}

// G1: an op that holds something is told once that its sub-steps have failed, also if its handler has sub-steps that
// fail too.
func TestHolderIsToldOnce(t *testing.T) {
	inst := new(Activation)
	o := keeps(inst, fails(errFirst))
	again := hold(inst, fails(errSecond))
	o.handle = func(f *Frame, _ error) Verdict {
		if o.told != 1 {
			t.Errorf("told %d times before the handler is asked", o.told)
		}
		return again.exec(f)
	}
	coded(t, play(t, inst, o), "Second")
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
			o := keeps(inst, does(nil))
			o.resume = func(f *Frame) Verdict {
				f.Unhold()
				return end(f)
			}
			_ = play(t, inst, o)
			if o.told != 0 {
				t.Errorf("told %d times", o.told)
			}
		})
	}
}
