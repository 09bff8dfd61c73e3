package frame

import "testing"

// A stamp tells apart what is asked: the bodies of two steps, a body and the
// handler of the same step; and it is zero for a step that has ended.
func TestStamp(t *testing.T) {
	seen := make(map[uint64]string)
	note := func(f *Frame, what string) {
		stamp := f.Stamp()
		if stamp != f.Ref().Stamp() {
			t.Errorf("%s: the frame and its Ref differ", what)
		}
		if stamp&7 != 0 {
			t.Errorf("%s: the lowest bits of %x aren't free", what, stamp)
		}
		if other, ok := seen[stamp]; ok || stamp == 0 {
			t.Errorf("%s has the stamp %x of %q", what, stamp, other)
		}
		seen[stamp] = what
	}
	var stale Ref
	if err := play(t, new(Instance), does(func(f *Frame) Verdict {
		note(f, "the first body")
		stale = f.Ref()
		return Done
	}), &scripted{
		exec: func(f *Frame) Verdict {
			note(f, "the second body")
			if stale.Stamp() != 0 || stale.Valid() {
				t.Error("a step that has ended has a stamp")
			}
			return f.Fail(errFirst)
		},
		handle: func(f *Frame, _ error) Verdict { note(f, "the handler"); return Done },
	}, does(func(f *Frame) Verdict { note(f, "the third body"); return Done })); err != nil {
		t.Error(err)
	}
}

// Only code of the run that is executing is blamed for the use of a stale Ref,
// and the zero Ref is nobody's.
func TestStaleRefIsBlamedOnItsUser(t *testing.T) {
	var stale Ref
	if (Ref{}).Frame() != nil || (Ref{}).Err() == nil || (Ref{}).Valid() {
		t.Error("the zero Ref is a step's")
	}
	keep := does(func(f *Frame) Verdict {
		stale = f.Ref()
		if stale.Frame() != f || stale.Err() != nil {
			t.Error("the Ref of the current step isn't good")
		}
		return Done
	})
	use := does(func(*Frame) Verdict {
		if stale.Frame() != nil || stale.Err() == nil {
			t.Error("a stale Ref is good")
		}
		return Done
	})
	if err := play(t, new(Instance), keep, use); err == nil {
		t.Error("nobody is blamed")
	}
	if stale.Frame() != nil || stale.Run() != nil || stale.Err() == nil {
		t.Error("a Ref is good after its run")
	}
	if err := play(t, new(Instance), use); err != nil {
		t.Errorf("another run is blamed: %v", err)
	}
}
