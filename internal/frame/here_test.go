package frame

import (
	"slices"
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// here completes w as the loop's goroutine does. It reports false if the machine doesn't recognise that goroutine, or the
// wait is over.
func (w *repeatedWait) here() bool {
	if !w.slot.ClaimHere(w.gen.Load()) {
		return false
	}
	w.slot.CompleteHere()
	return true
}

// completeInLoop completes w as the Done of a step does.
func completeInLoop(w *repeatedWait) {
	if !w.here() {
		completeElsewhere(&w.slot, w.gen.Load())
	}
}

// A wait that the loop's own goroutine completes ends as any other. Where goid is fast, the machine recognises that
// goroutine on a Manual and on a loop of tooltest.
func TestCompletionHere(t *testing.T) {
	for name, c := range map[string]struct {
		loop tool.Tool
		want bool
	}{
		"in the loop":                  {tool.NewManual(tool.Options{}), goid.Fast},
		"in a test's loop":             {tooltest.New(), goid.Fast},
		"in a loop of somebody else's": {&closingLoop{Loop: tooltest.New()}, false},
	} {
		op := &repeatedWait{left: 3}
		run := startRun(t, c.loop, new(Activation), op)
		iterate(c.loop)
		if op.here() {
			t.Errorf("%s: completed as if in the loop, outside of it", name)
		}
		for range 3 {
			var here bool
			mustSchedule(t)(c.loop.Immediate(func() {
				if here = op.here(); !here {
					completeElsewhere(&op.slot, op.gen.Load())
				}
				if op.here() || op.slot.Valid(op.gen.Load()) {
					t.Errorf("%s: completed twice", name)
				}
			}))
			iterate(c.loop)
			if here != c.want {
				t.Errorf("%s: completed without locks is %t", name, here)
			}
		}
		if run.Result() != nil || !run.HasEnded() {
			t.Errorf("%s: ended is %t, with %v", name, run.HasEnded(), run.Result())
		}
	}
}

func iterate(loop tool.Tool) {
	switch l := loop.(type) {
	case *tool.Manual:
		for l.Iterate() {
		}
	case interface{ Run() int }:
		l.Run()
	}
}

func mustSchedule(t *testing.T) func(tool.Handle, error) {
	return func(_ tool.Handle, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}

func onGoroutine(fn func()) {
	var other sync.WaitGroup
	other.Go(fn)
	other.Wait()
}

// T1: the run that was completed first has its turn first, whether a goroutine or the loop has completed it.
func TestTurnsKeepTheOrderOfCompletions(t *testing.T) {
	loop := tool.NewManual(tool.Options{})
	var order []int
	var ops [3]*repeatedWait
	for i := range ops {
		ops[i] = &repeatedWait{left: 1}
		startRun(t, loop, new(Activation), ops[i], execOp(func(*Frame) Verdict { order = append(order, i); return Done }))
	}
	iterate(loop)
	mustSchedule(t)(loop.Immediate(func() {
		completeInLoop(ops[2])
		onGoroutine(func() { completeElsewhere(&ops[0].slot, ops[0].gen.Load()) })
		completeInLoop(ops[1])
	}))
	iterate(loop)
	if want := []int{2, 0, 1}; !slices.Equal(order, want) {
		t.Errorf("the runs go on in the order %v, want %v", order, want)
	}
}

// T1: a turn begun by a timer takes the queued turn out of the queue, so the run's next turn comes after what was
// queued before.
func TestTimerTakesBackTheQueuedTurn(t *testing.T) {
	for name, completesIt := range map[string]func(*repeatedWait){
		"by the loop":    completeInLoop,
		"by a goroutine": func(w *repeatedWait) { onGoroutine(func() { completeElsewhere(&w.slot, w.gen.Load()) }) },
	} {
		loop := tool.NewManual(tool.Options{})
		op := &repeatedWait{left: 2}
		var order []string
		run := startRun(t, loop, new(Activation), op, execOp(func(*Frame) Verdict { order = append(order, "run"); return Done }))
		iterate(loop)
		mustSchedule(t)(loop.Immediate(func() {
			completesIt(op)
			run.Turn() // as a timer does
			if run.posts != nil && run.posts.item.Queued() || run.here.Queued() {
				t.Errorf("%s: the turn is still queued", name)
			}
			mustSchedule(t)(loop.Immediate(func() { order = append(order, "before") }))
			completesIt(op)
		}))
		iterate(loop)
		if want := []string{"before", "run"}; !slices.Equal(order, want) {
			t.Errorf("%s: the order is %v, want %v", name, order, want)
		}
	}
}

// C1, O7: a cancel before a completion in the loop is handled together with it; a cancel between the completion and its
// turn is handled too.
func TestCancelAroundCompletionHere(t *testing.T) {
	for _, before := range []bool{true, false} {
		loop := tool.NewManual(tool.Options{})
		op := &repeatedWait{left: 1}
		ran := false
		run := startRun(t, loop, new(Activation), op, execOp(func(*Frame) Verdict { ran = true; return Done }))
		iterate(loop)
		mustSchedule(t)(loop.Immediate(func() {
			if before {
				run.Cancel(nil)
			}
			completeInLoop(op)
			if !before {
				run.Cancel(nil)
			}
		}))
		iterate(loop)
		if !run.HasEnded() || ran || op.left != 0 {
			t.Errorf("before %t: ended is %t, the next step ran is %t, completions not seen %d", before, run.HasEnded(), ran, op.left)
		}
	}
}

// A Manual is recognised. Types that embed one aren't, because they may have methods of their own.
func TestLoopsOfSomebodyElse(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	for name, c := range map[string]struct {
		loop tool.Tool
		want bool
	}{
		"Manual":   {m, true},
		"embedded": {hostedLoop{m, m.Host()}, false},
		"wrapped":  {struct{ *tool.Manual }{m}, false},
		"tooltest": {tooltest.New(), false},
	} {
		l, seat := drive.Of(c.loop)
		if (l != nil) != c.want || (seat != nil) != (c.want || name == "tooltest") {
			t.Errorf("%s: %t, with a seat: %t", name, l != nil, seat != nil)
		}
	}
}

// A body that completes its own wait queues no turn: the present turn goes on with it.
func TestCompletionInATurnQueuesNoOther(t *testing.T) {
	if !goid.Fast {
		t.Skip("the loop isn't asked")
	}
	for _, before := range []uint32{idle, holding} {
		loop, slot := tool.NewManual(tool.Options{}), new(Wait)
		run := startRun(t, loop, new(Activation), &testOp{exec: func(f *Frame) Verdict {
			r, gen := f.Run(), slot.OpenInBody(f)
			r.alert.Store(before)
			if !slot.ClaimHere(gen) {
				t.Error("the goroutine of the loop isn't known")
			}
			slot.CompleteHere()
			if r.posts.item.Queued() {
				t.Errorf("a turn is queued, the alert was %d", before)
			}
			slot.BodyReturned(gen)
			return Waiting
		}, resume: func(f *Frame) Verdict { _ = slot.Close(f); return Done }})
		iterate(loop)
		if !run.HasEnded() || run.Result() != nil {
			t.Errorf("ended is %t, with %v", run.HasEnded(), run.Result())
		}
	}
}

func TestCompletionHereOfAnObservedRun(t *testing.T) {
	loop, op, inst := tool.NewManual(tool.Options{}), &repeatedWait{left: 1}, new(Activation)
	inst.Init(&Level{Ops: []Op{op}}, nil)
	run := NewRun(inst, &Config{Context: t.Context(), Tool: loop, Watch: func(Event) {}})
	if err := run.Launch(); err != nil {
		t.Fatal(err)
	}
	iterate(loop)
	mustSchedule(t)(loop.Immediate(func() { completeInLoop(op) }))
	iterate(loop)
	if !run.HasEnded() || run.Result() != nil {
		t.Errorf("ended is %t, with %v", run.HasEnded(), run.Result())
	}
}

func TestCompletionByAnotherStepQueuesNoTurn(t *testing.T) {
	if !goid.Fast {
		t.Skip("the loop isn't asked")
	}
	loop, inst, before, op := tool.NewManual(tool.Options{}), new(Activation), &repeatedWait{left: 1}, &repeatedWait{left: 1}
	run := startRun(t, loop, inst, before, forkOp(inst, op, execOp(func(f *Frame) Verdict {
		if !op.here() || f.Run().here.Queued() {
			t.Error("the goroutine of the loop isn't known, or a turn is queued")
		}
		return Done
	})))
	iterate(loop)
	completeElsewhere(&before.slot, before.gen.Load())
	iterate(loop)
	if !run.HasEnded() || run.Result() != nil {
		t.Errorf("ended is %t, with %v", run.HasEnded(), run.Result())
	}
}

// C6: a step has failed, and its turn is over before its wait is left. A completion that comes then doesn't resume the step
// that follows when a handler has recovered the error.
func TestCompletionOfAStepThatHasFailed(t *testing.T) {
	loop, inst := tooltest.New(tooltest.WithChooser(func(int) int { return 0 })), new(Activation) // a turn has one step
	before, op := &repeatedWait{left: 1}, new(repeatedWait)
	body := callOp(inst, execOp(func(f *Frame) Verdict {
		op.Exec(f)
		mustSchedule(t)(loop.Immediate(func() {
			if op.here() != goid.Fast {
				t.Error("the wait is over already")
			}
		}))
		return f.Fail(errFirst)
	}))
	body.handle = func(*Frame, error) Verdict { return Done }
	run := startRun(t, loop, inst, before, body, &testOp{resume: func(*Frame) Verdict {
		t.Error("a step is resumed that hasn't waited")
		return Done
	}})
	loop.Run()
	completeElsewhere(&before.slot, before.gen.Load())
	loop.Run()
	if !run.HasEnded() || run.Result() != nil {
		t.Errorf("ended is %t, with %v", run.HasEnded(), run.Result())
	}
}
