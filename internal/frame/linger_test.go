package frame

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A part uses the variables of its run. If the loop refuses the part, they stay (S1).
func TestRefusedPartLeavesTheVariables(t *testing.T) {
	loop := &closingLoop{Loop: tooltest.New()}
	part := new(Activation)
	part.Init(&Level{Ops: []Op{execOp(nil)}}, nil)
	run := startRun(t, loop, new(Activation), execOp(func(f *Frame) Verdict {
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
	if part.run.gen.Load() != 1 {
		t.Error("the memory of the part isn't given back")
	}
}

type partOwner struct {
	Linger
	ended func(r *Run)
}

func (p *partOwner) Ended(r *Run) { p.ended(r) }

// lingerOp returns an op that waits for a part that executes o, and then calls after.
func lingerOp(t *testing.T, o Op, after func(f *Frame)) *testOp {
	part := new(Activation)
	part.Init(&Level{Ops: []Op{o}}, nil)
	var p partOwner
	var slot Wait
	op := execOp(func(f *Frame) Verdict {
		gen := slot.Open(f)
		p.ended = func(r *Run) {
			host, _ := p.Join(r)
			if host.here.Queued() {
				t.Error("a turn of the run is queued, though the run goes on at once")
			}
			if r.gen.Load() != 1 {
				t.Error("the memory of the part isn't given back")
			}
			completeElsewhere(&slot, gen)
			host.Turn()
		}
		if err := p.Begin(f, part, time.Hour, &p); err != nil {
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
	sets := execOp(func(f *Frame) Verdict {
		f.Run().Vars().Set("name", "value")
		return Done
	})
	err := runOps(t, new(Activation), lingerOp(t, sets, func(f *Frame) {
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
	mended := failOp(errFirst)
	mended.handle = func(*Frame, error) Verdict { return Done }
	err := runOps(t, new(Activation), lingerOp(t, mended, func(f *Frame) {
		if last := f.Run().Last(); last != error(errFirst) {
			t.Errorf("the last error is %v", last)
		}
	}))
	if err != nil {
		t.Error(err)
	}
}

// On a loop of another package the limits of a part are armed at once.
func TestPartArmsItsLimitsAtOnce(t *testing.T) {
	loop := tooltest.New()
	limits := execOp(func(f *Frame) Verdict {
		before := loop.Pending()
		f.SetTimeout(time.Hour)
		if n := loop.Pending() - before; n != 1 {
			t.Errorf("%d timers are armed, want one", n)
		}
		return Done
	})
	if err := runOpsOn(t, loop, new(Activation), lingerOp(t, limits, func(*Frame) {})); err != nil {
		t.Error(err)
	}
}

// partThatIsLeft starts a run on loop that begins a part and leaves it at once. In between it calls then with the run of
// the part. joined is called with what Join returns.
func partThatIsLeft(t *testing.T, loop tool.Tool, then func(part *Run), joined func(host *Run, waits bool)) *Run {
	part := new(Activation)
	part.Init(&Level{Ops: []Op{execOp(func(*Frame) Verdict { t.Error("the part has begun a step"); return Done })}}, nil)
	return startRun(t, loop, new(Activation), execOp(func(f *Frame) Verdict {
		var l Linger
		if err := l.Begin(f, part, time.Hour, Ended(func(r *Run) { joined(l.Join(r)) })); err != nil {
			t.Error(err)
		}
		then(l.part)
		l.Leave(errFirst, false)
		return Done
	}))
}

// C1: a part that is left before its first turn is cancelled in that turn, and no other turn is queued.
func TestLeavingAPartQueuesNoSecondTurn(t *testing.T) {
	loop, ended := tool.NewManual(tool.Options{}), false
	var part *Run
	run := partThatIsLeft(t, loop, func(r *Run) { part = r }, func(host *Run, waits bool) {
		ended = host != nil && !waits
	})
	for loop.Iterate() && !run.here.Queued() {
		if part != nil && part.posts != nil && part.posts.item.Queued() {
			t.Error("a second turn of the part is queued")
		}
	}
	iterate(loop)
	if !ended || !run.HasEnded() || run.Result() != nil {
		t.Errorf("the part has ended: %t, the run: %t, with %v", ended, run.HasEnded(), run.Result())
	}
}

// P10: a loop that takes no more work can't end the grace of a part. So the run ends without the part when that is left,
// and the refusal is reported.
func TestPartIsLeftOnAClosedLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop, ended := &closingLoop{Loop: tooltest.New()}, false
		run := partThatIsLeft(t, loop, func(*Run) { loop.closed = true }, func(host *Run, waits bool) {
			if ended = true; host != nil || waits {
				t.Error("the run is to go on with the part")
			}
		})
		loop.Run()
		if !ended || !run.HasEnded() || run.Result() != nil {
			t.Errorf("the part has ended: %t, the run: %t, with %v", ended, run.HasEnded(), run.Result())
		}
		synctest.Wait()
		if errs := loop.Errors(); len(errs) != 1 || !errors.Is(errs[0], tool.ErrShutdown) {
			t.Errorf("reported are %v, want the refusal", errs)
		}
	})
}
