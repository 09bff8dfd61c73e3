package frame

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestLoopChoosesTheFiber(t *testing.T) {
	inst := new(Activation)
	var order []int
	branch := func(i int) Op {
		return execOp(func(*Frame) Verdict { order = append(order, i); return Done })
	}
	last := tooltest.WithChooser(func(n int) int { return n - 1 })
	if err := runOpsOn(t, tooltest.New(last), inst, forkOp(inst, branch(0), branch(1), branch(2))); err != nil {
		t.Error(err)
	}
	if want := []int{2, 1, 0}; !slices.Equal(order, want) {
		t.Errorf("the branches go in the order %v, want %v", order, want)
	}
}

// C1: a cancel before the first turn is handled by that turn, and queues no other.
func TestCancelQueuesNoSecondTurn(t *testing.T) {
	loop := tooltest.New()
	run := startRun(t, loop, new(Activation), execOp(nil))
	run.Cancel(nil)
	if n := loop.Run(); n != 1 {
		t.Errorf("%d turns, want one", n)
	}
	wantCode(t, run.Result(), fault.Cancelled)
}

// A turn begun by a timer takes the queued turn out of the queue.
func TestTimerIsFasterThanTheQueuedTurn(t *testing.T) {
	loop, op := tooltest.New(), &repeatedWait{left: 1}
	run := startRun(t, loop, new(Activation), op)
	run.Turn()
	if n := loop.Pending(); n != 0 {
		t.Errorf("%d turns are queued after the first", n)
	}
	completeElsewhere(&op.slot, op.gen.Load())
	run.Turn()
	if n := loop.Pending(); n != 0 || !run.HasEnded() {
		t.Errorf("%d turns are queued after the last, over is %t", n, run.HasEnded())
	}
	if f := run.loop.(*adapter); f.post.posted != 0 || f.here.posted != 0 || run.posts.item.Queued() || run.here.Queued() {
		t.Error("the run would take back a turn that isn't queued, perhaps of another loop")
	}
}

// A post queues no turn while one is queued.
func TestPostNeedsNoSecondTurn(t *testing.T) {
	loop, op := tooltest.New(), &repeatedWait{left: 1}
	run := startRun(t, loop, new(Activation), op)
	loop.Run()
	mustSchedule(t)(loop.Immediate(func() {
		completeInLoop(op)
		run.Cancel(nil)
		if n := loop.Pending(); n != 1 {
			t.Errorf("%d turns are queued, want one", n)
		}
	}))
	loop.Run()
	wantCode(t, run.Result(), fault.Cancelled)
}

// Posts come out of the inbox once, in their order, and none is kept.
func TestInbox(t *testing.T) {
	var q inbox
	a, b := new(Fiber), new(Fiber)
	for range 2 {
		q.push(a)
		q.push(b)
		q.push(a)
		if q.pop() != a || q.pop() != b || q.pop() != nil {
			t.Error("out of order, or not once")
		}
		if q != (inbox{}) || a.after != nil || b.after != nil {
			t.Error("a fiber is kept")
		}
	}
}

func TestRecycledRunIsIdle(t *testing.T) {
	loop := tooltest.New()
	inst := new(Activation)
	run := startRun(t, loop, inst, execOp(nil))
	loop.Run()
	run.Recycle()
	next := NewRun(inst, &Config{Context: context.Background()})
	if next != run || next.alert.Load() != idle {
		t.Error("the alert isn't idle")
	}
}

// O4: on a loop that chooses, the fiber of a turn that is used up goes to the end of the queue.
func TestFibersTakeTurns(t *testing.T) {
	inst := new(Activation)
	var order []string
	branch := func(names ...string) Op {
		var ops []Op
		for _, name := range names {
			ops = append(ops, execOp(func(*Frame) Verdict { order = append(order, name); return Done }))
		}
		return callOp(inst, ops...)
	}
	oneStep := tooltest.New(tooltest.WithChooser(func(int) int { return 0 }))
	if err := runOpsOn(t, oneStep, inst, forkOp(inst, branch("a1", "a2"), branch("b1", "b2"))); err != nil {
		t.Error(err)
	}
	if want := []string{"a1", "b1", "a2", "b2"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
}

// O4: a run of some 50 steps that its caller drives ends in one turn, also if a step has used the loop.
func TestCallersTurnIsNotTimed(t *testing.T) {
	var inst Activation
	ops := []Op{execOp(func(f *Frame) Verdict { f.Run().Tool(); return Done })}
	for range 50 {
		ops = append(ops, execOp(nil))
	}
	inst.Init(&Level{Ops: ops}, nil)
	run := NewDriven(context.Background(), &inst, func(context.Context, uint64) (tool.Tool, drive.Loop) { return tooltest.New(), nil }, 0, nil)
	run.Turn()
	if !run.HasEnded() {
		t.Error("the turn has ended before the run")
	}
}

// O4: the ends of levels count as steps, so that a run which only leaves levels yields too.
func TestTurnEndsBetweenLevels(t *testing.T) {
	inst, loop := new(Activation), tooltest.New()
	op := execOp(nil)
	const depth = 1000
	for range depth {
		op = callOp(inst, op)
	}
	startRun(t, loop, inst, op)
	if n, share := loop.Run(), loop.Host().Turn().Steps; n < 2*depth/share {
		t.Errorf("%d turns of %d steps for %d levels that are entered and left", n, share, depth)
	}
}

// O4: how many turns a run takes, and how often these read the clock, if the bound is three steps. Ends of levels count
// as steps. The clock is read before the third step of a turn, but not for the ends of levels after the second.
func TestTurnsOfThreeSteps(t *testing.T) {
	inst := new(Activation)
	for name, c := range map[string]struct {
		ops          []Op
		turns, reads int
	}{
		"two steps":                            {[]Op{execOp(nil), execOp(nil)}, 1, 0},
		"a step in a step":                     {[]Op{callOp(inst, execOp(nil))}, 1, 0},
		"three steps":                          {[]Op{execOp(nil), execOp(nil), execOp(nil)}, 2, 1},
		"two steps in a step":                  {[]Op{callOp(inst, execOp(nil), execOp(nil))}, 2, 1},
		"a step in a step, and one after them": {[]Op{callOp(inst, execOp(nil)), execOp(nil)}, 2, 0},
	} {
		reads, loop := 0, tooltest.New()
		host := tool.NewHost(tool.TurnLimits{Steps: 3}, tool.WithClock(func() time.Duration { reads++; return loop.Now() }))
		run := startRun(t, hostedLoop{loop, host}, new(Activation), c.ops...)
		reads = 0
		if turns := loop.Run(); turns != c.turns || reads != c.reads || !run.HasEnded() {
			t.Errorf("%s: %d turns, which read the clock %d times; want %d and %d", name, turns, reads, c.turns, c.reads)
		}
	}
}

// O6, C1: a run that is cancelled during its last step ends as cancelled, and its watch gets the cancel before the end.
func TestCancelInTheLastStep(t *testing.T) {
	inst, loop := new(Activation), tooltest.New()
	cancels := execOp(func(f *Frame) Verdict { f.Run().Cancel(nil); return Done })
	inst.Init(&Level{Ops: []Op{execOp(nil), cancels}}, nil)
	var told []EventKind
	run := NewRun(inst, &Config{
		Context: context.Background(), Tool: loop,
		Watch: func(e Event) { told = append(told, e.Kind) },
	})
	if err := run.Launch(); err != nil {
		t.Fatal(err)
	}
	loop.Run()
	wantCode(t, run.Result(), fault.Cancelled)
	if want := []EventKind{StepStart, StepEnd, StepStart, StepEnd, Cancelled, RunEnd}; !slices.Equal(told, want) {
		t.Errorf("told of %v, want %v", told, want)
	}
}

// A fiber that was chosen to go next, and was also queued by a delivery, goes once.
func TestFiberGoesOnce(t *testing.T) {
	for name, take := range map[string]func(*Run) *Fiber{
		"take":          (*Run).take,
		"nextInTransit": func(r *Run) *Fiber { return r.nextInTransit(true) },
	} {
		var r Run
		r.main.run = &r
		r.next = &r.main
		r.ready.push(&r.main)
		if take(&r) != &r.main || r.main.in != inNone || r.ready.head != nil || r.ready.tail != nil || *r.ready.transit != [courses]fibers{} || r.next != nil {
			t.Errorf("%s: the fiber is still to go", name)
		}
	}
}

func TestDoneRunHasEnded(t *testing.T) {
	loop := tooltest.New()
	run := startRun(t, loop, new(Activation), execOp(nil))
	if loop.Run(); run.main.mode != ended {
		t.Error("the main fiber counts as alive")
	}
}

func TestFiberThatIsSetAsideGoesOnce(t *testing.T) {
	for _, m := range []mode{running, raising} {
		var r Run
		r.main.run, r.main.mode, r.main.top = &r, m, level(new(Activation), execOp(nil))
		r.next = &r.main
		r.ready.push(&r.main)
		r.setAside()
		if r.ready.head != &r.main || r.ready.tail != &r.main || r.main.links[inQueue] != (links{}) {
			t.Errorf("mode %d: the fiber is in the queue more than once", m)
		}
	}
}

func TestDoneBranchHasEnded(t *testing.T) {
	loop, inst := tooltest.New(), new(Activation)
	branches := forkOp(inst, execOp(nil), execOp(wait))
	var k *Fork
	run := startRun(t, loop, inst, execOp(func(f *Frame) Verdict {
		v := branches.exec(f)
		k = f.fork
		return v
	}))
	loop.Advance(0)
	if first := k.first(); first != &k.Branches[1].fiber {
		t.Error("the branch that is done counts as alive")
	}
	run.Cancel(nil)
	loop.Run()
	wantCode(t, run.Result(), fault.Cancelled)
}

// C1: a cancel counts if an error from outside is looked at in the same turn.
func TestCancelAndErrorAtOnce(t *testing.T) {
	for _, errorFirst := range []bool{true, false} {
		inst, loop, op := new(Activation), tooltest.New(), &repeatedWait{left: 1}
		inst.Init(&Level{Ops: []Op{op}}, nil)
		run := NewRun(inst, &Config{Context: t.Context(), Tool: loop})
		run.Bind()
		if err := run.Launch(); err != nil {
			t.Fatal(err)
		}
		loop.Advance(0)
		fail := func() {
			op.slot.Claim(op.gen.Load())
			op.slot.Complete(errFirst)
		}
		if errorFirst {
			fail()
		}
		if !run.Cancel(errSecond) {
			t.Error("the run can't be cancelled")
		}
		if !errorFirst {
			fail()
		}
		loop.Run()
		if e := wantCode(t, run.Result(), fault.Cancelled); !errors.Is(e, errSecond) {
			t.Errorf("the error first: %t; ended with %v", errorFirst, e)
		}
	}
}

// A run on a loop of another package takes back only turns that are queued there.
func TestForeignLoopIsAskedToCancelWhatIsQueued(t *testing.T) {
	loop, op := &strictLoop{Loop: tooltest.New(), t: t}, &repeatedWait{left: 2}
	run := startRun(t, loop, new(Activation), op)
	loop.Run()
	completeElsewhere(&op.slot, op.gen.Load())
	loop.Run()
	mustSchedule(t)(loop.Immediate(func() { completeInLoop(op) }))
	loop.Run()
	if !run.HasEnded() || run.Result() != nil {
		t.Errorf("ended is %t, with %v", run.HasEnded(), run.Result())
	}
}

// strictLoop is a loop that fails the test when it is to cancel what isn't queued.
type strictLoop struct {
	*tooltest.Loop
	t *testing.T
}

func (l *strictLoop) Cancel(h tool.Handle) bool {
	was := l.Loop.Cancel(h)
	if !was {
		l.t.Errorf("handle %d is cancelled, which isn't queued", h)
	}
	return was
}
