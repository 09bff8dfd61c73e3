package frame

import (
	"testing"

	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A step can't go on before its part does, for those that ask on the loop of the part. Others can't tell, because the
// part may be left.
func TestPartStopsItsStep(t *testing.T) {
	loop := tooltest.New()
	near, far := launch(t, loop, new(Activation)), launch(t, tooltest.New(), new(Activation))
	asks := func(f *Frame, of string, want map[*Run]*Fiber, part bool) {
		s := f.Fiber()
		for name, run := range map[string]*Run{"the same loop": near, "another loop": far} {
			if got := s.Stops(run); got != want[run] {
				t.Errorf("%s stops %p for %s, want %p", of, got, name, want[run])
			}
			if got := s.IsPart(run); got != (part && run == near) {
				t.Errorf("%s is a part for %s: %t", of, name, got)
			}
		}
	}
	var step *Fiber
	op := lingers(t, does(func(f *Frame) Verdict {
		asks(f, "the part", map[*Run]*Fiber{near: step}, true)
		return Done
	}), func(f *Frame) { asks(f, "the run", nil, false) })
	waits := op.exec
	op.exec = func(f *Frame) Verdict {
		step = f.Fiber()
		return waits(f)
	}
	if err := playOn(t, loop, new(Activation), op); err != nil {
		t.Error(err)
	}
}

// A fiber in transit is found on its course, at whichever end it was queued, until it is taken out.
func TestFibersInTransit(t *testing.T) {
	for name, put := range map[string]func(*ready, *Fiber){"push": (*ready).push, "unshift": (*ready).unshift} {
		r, s := new(Run), new(Fiber)
		s.fork = &Fork{owner: new(Fiber)}
		s.start(r, level(new(Activation))) // it has no steps to take
		if put(&r.ready, s); r.ready.inTransit(leaving) != s {
			t.Errorf("%s: not found", name)
		}
		if s.unqueue(); r.ready.inTransit(leaving) != nil || r.ready.head != nil {
			t.Errorf("%s: found after it was taken out", name)
		}
	}
}
