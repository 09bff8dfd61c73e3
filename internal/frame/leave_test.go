package frame

import "testing"

// C3, C6: a step that is about to be left because of a limit takes a completion that has come already, or else refuses a
// later one.
func TestRefuseUnlessDone(t *testing.T) {
	for _, done := range []bool{false, true} {
		slot := new(Wait)
		op := execOp(func(f *Frame) Verdict {
			gen := slot.Open(f)
			if done && !completeElsewhere(slot, gen) {
				t.Error("an open wait can't be completed")
			}
			if slot.refuseUnlessDone() == done {
				t.Errorf("completed: %v, and refused: %v", done, !done)
			}
			if done {
				return Waiting
			}
			if slot.Valid(gen) || completeElsewhere(slot, gen) {
				t.Error("what was refused is completed")
			}
			return Done
		})
		op.resume = func(f *Frame) Verdict {
			if err := slot.Close(f); err != nil {
				t.Error(err)
			}
			return Done
		}
		if err := runOps(t, new(Activation), op); err != nil {
			t.Errorf("completed: %v, got %v", done, err)
		}
	}
}
