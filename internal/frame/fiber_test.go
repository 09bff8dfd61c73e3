package frame

import (
	"testing"

	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// The main fiber of a part stops the flow of the step that waits for the part.
func TestPartStopsItsStep(t *testing.T) {
	var step *Fiber
	op := lingerOp(t, execOp(func(f *Frame) Verdict {
		if s := f.Fiber(); s.Stops() != step || !s.IsPart() {
			t.Errorf("the part stops %p, want %p; it is a part: %t", s.Stops(), step, s.IsPart())
		}
		return Done
	}), func(f *Frame) {
		if s := f.Fiber(); s.Stops() != nil || s.IsPart() {
			t.Errorf("the run stops %p; it is a part: %t", s.Stops(), s.IsPart())
		}
	})
	waits := op.exec
	op.exec = func(f *Frame) Verdict {
		step = f.Fiber()
		return waits(f)
	}
	if err := runOpsOn(t, tooltest.New(), new(Activation), op); err != nil {
		t.Error(err)
	}
}

// A fiber in transit is found on its course, at whichever end it was queued, until it is taken out.
func TestFibersInTransit(t *testing.T) {
	for name, put := range map[string]func(*ready, *Fiber){"push": (*ready).push, "unshift": (*ready).unshift} {
		r, s := new(Run), new(Fiber)
		s.fork = &Fork{holder: &Fiber{top: new(Frame)}}
		s.start(r, level(new(Activation))) // it has no steps to take
		if put(&r.ready, s); r.ready.inTransit(leaving) != s {
			t.Errorf("%s: not found", name)
		}
		if s.unqueue(); r.ready.inTransit(leaving) != nil || r.ready.head != nil {
			t.Errorf("%s: found after it was taken out", name)
		}
	}
}
