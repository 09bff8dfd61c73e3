package frame

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A part uses the variables of its run. If the loop refuses the part, they stay (S1).
func TestRefusedPartLeavesTheVariables(t *testing.T) {
	loop := &closing{Loop: tooltest.New()}
	part := new(Activation)
	part.Init(&Level{Ops: []Op{does(nil)}}, nil)
	run := launch(t, loop, new(Activation), does(func(f *Frame) Verdict {
		f.Run().Vars().Set("name", "value")
		loop.closed = true
		err := new(Linger).Begin(f, part, time.Hour, Ended(func(*Run) { t.Error("a part has ended that never began") }))
		if !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("got %v, want the refusal", err)
		}
		if v, ok := f.Run().Vars().Get("name"); v != "value" || !ok {
			t.Errorf("the variable is %v, %t", v, ok)
		}
		return Done
	}))
	loop.Run()
	if !run.HasEnded() || run.Result() != nil {
		t.Errorf("ended: %t, with %v", run.HasEnded(), run.Result())
	}
}

// lingers returns an op that waits for a part that executes o, and then calls after.
func lingers(t *testing.T, o Op, after func(f *Frame)) *scripted {
	part := new(Activation)
	part.Init(&Level{Ops: []Op{o}}, nil)
	var l Linger
	var slot Wait
	op := does(func(f *Frame) Verdict {
		gen := slot.Open(f)
		if err := l.Begin(f, part, time.Hour, Ended(func(r *Run) {
			host, _ := l.Join(r)
			completes(&slot, gen)
			host.Turn()
		})); err != nil {
			t.Fatal(err)
		}
		return Waiting
	})
	op.resume = func(f *Frame) Verdict {
		if err := slot.Close(f); err != nil {
			t.Error(err)
		}
		after(f)
		return Done
	}
	return op
}

// S1: a part and its run have the same variables, also if the part makes the first one.
func TestPartMakesTheFirstVariable(t *testing.T) {
	sets := does(func(f *Frame) Verdict {
		f.Run().Vars().Set("name", "value")
		return Done
	})
	err := play(t, new(Activation), lingers(t, sets, func(f *Frame) {
		if v, ok := f.Run().Vars().Get("name"); v != "value" || !ok {
			t.Errorf("the variable is %v, %t", v, ok)
		}
	}))
	if err != nil {
		t.Error(err)
	}
}

// E3: the last error of a part is that of its run, also if the part has handled it.
func TestPartHandsItsLastErrorOn(t *testing.T) {
	mended := fails(errFirst)
	mended.handle = func(*Frame, error) Verdict { return Done }
	err := play(t, new(Activation), lingers(t, mended, func(f *Frame) {
		if last := f.Run().Last(); last != error(errFirst) {
			t.Errorf("the last error is %v", last)
		}
	}))
	if err != nil {
		t.Error(err)
	}
}
